import { defineConfig } from "vitest/config";

/** Tests that put servers under load have the machine to themselves. */
const underLoad = ["test/e2e/{abuse,fleet,soak,zero-drop}.test.ts"];

/** Tiers, cheapest first, one after the other; `scripts/test.ts` runs them all and prints the time of each. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "laws",
          include: ["test/{architecture,command-lines,docs,reference,rules}.test.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "unit",
          include: ["{src,scripts}/**/*.test.ts", "test/reporter.test.ts"],
          // Property tests on a busy machine: how long they take says nothing about what they prove.
          testTimeout: 30_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "scenarios",
          include: ["test/{golden,scenarios,conformance}/**/*.test.ts"],
          testTimeout: 60_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: underLoad,
          sequence: { groupOrder: 4 },
          testTimeout: 120_000,
          hookTimeout: 900_000,
          // They mostly wait for processes.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "load",
          include: underLoad,
          sequence: { groupOrder: 5 },
          testTimeout: 120_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
