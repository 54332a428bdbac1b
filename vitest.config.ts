import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that put servers under load have the machine to themselves. */
const underLoad = ["test/e2e/{abuse,identity,rotation,zero-drop}.test.ts"];

/**
 * What the first tiers have in common. Nothing in our code is global, so that files share a process: to load all of it
 * anew for each takes longer than the tests do. Left to itself, vitest would leave one core idle.
 */
const inProcess = { isolate: false, maxWorkers: "100%" } as const;

/** How long a test waits for a state: longer than a busy machine needs. */
const patient = { poll: { timeout: 30_000 } } as const;

/** Builds what the tests of processes start. */
const buildCommand = "test/e2e/support/binnacle/build-command.ts";

/** What takes longest: begun last, one of these would keep a worker busy when the others are done. */
const longest = [
  "src/config/analysis/scale",
  "src/galley/source/kube/kube-source",
  "src/galley/source/kube/histories",
  "test/reporter",
  "src/app/start-stop",
  "test/scenarios/effects",
  "test/conformance/kube-source",
  "test/scenarios/split",
  "test/scenarios/galley-fuzz",
  "test/conformance/mcp-source",
  "test/scenarios/invalid-policies",
  "test/conformance/mcp-over-xds-source",
  "test/conformance/zookeeper-source",
  "test/scenarios/mesh-truth",
  "test/scenarios/fresh-server",
  "test/e2e/soak",
  "test/e2e/kube-mesh",
  "test/e2e/recipes",
  "test/e2e/goldens",
  "test/e2e/proxyless",
  "test/e2e/policy-table",
  "test/e2e/eureka",
  "test/e2e/demo",
  "test/e2e/router",
  "test/e2e/mcp-faults",
  "test/e2e/cli",
  "test/e2e/gateway-tls",
  "test/e2e/kube-status",
  "test/e2e/secure-xds",
  "test/e2e/warming",
  "test/e2e/sources-four",
  "test/e2e/galley",
  "test/e2e/objects",
  "test/e2e/bad-input",
  "test/e2e/webhook",
  "test/e2e/secrets",
].map((name) => `/${name}.test.ts`);

function placeOf({ moduleId }: TestSpecification): number {
  const index = longest.findIndex((name) => moduleId.endsWith(name));
  return index < 0 ? longest.length : index;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const usual = await super.sort(files);
    return usual.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

/** Tiers, cheapest first, one after the other; `scripts/test.ts` runs them all and prints the time of each. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "laws",
          // As in the other tiers, for a busy machine: how long tests take says nothing about what they prove.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          include: ["test/*.test.ts"],
          exclude: ["test/reporter.test.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "unit",
          include: ["{src,scripts}/**/*.test.ts", "test/reporter.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
          expect: patient,
          ...inProcess,
        },
      },
      {
        test: {
          name: "scenarios",
          include: ["test/{golden,scenarios,conformance,fuzz}/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 3 },
          expect: patient,
          ...inProcess,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          // The upgrade is a command alone: a clone without history cannot build the old version.
          exclude: process.env["BINNACLE_WHOLE"] === "1" ? underLoad : [...underLoad, "test/e2e/upgrade.test.ts"],
          globalSetup: buildCommand,
          sequence: { groupOrder: 4 },
          expect: patient,
          testTimeout: 300_000,
          hookTimeout: 900_000,
          // They mostly wait for processes, so more run at once than there are cores. What one leaves behind must not
          // disturb the next: each has its own.
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: "load",
          include: underLoad,
          globalSetup: buildCommand,
          sequence: { groupOrder: 5 },
          testTimeout: 300_000,
          hookTimeout: 900_000,
          fileParallelism: false,
          // Two cases of a file, because each waits most of the time. At full size, one at a time.
          maxConcurrency: process.env["BINNACLE_WHOLE"] === "1" ? 1 : 2,
        },
      },
    ],
  },
});
