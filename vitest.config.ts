import { defineConfig } from "vitest/config";

/** Tiers, cheapest first; `scripts/test.ts` runs them all and prints the time of each. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: "laws", include: ["test/architecture.test.ts"] } },
      { test: { name: "unit", include: ["src/**/*.test.ts"] } },
      { test: { name: "scenarios", include: ["test/{golden,scenarios,conformance}/**/*.test.ts"] } },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
