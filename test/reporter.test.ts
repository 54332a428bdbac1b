import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const script = resolve(import.meta.dirname, "../scripts/test.ts");
const passing = `test("holds", () => {});`;

/** A test that fails at its first run in a folder. */
const unsteady = `
  import { existsSync, writeFileSync } from "node:fs";
  test("is unsteady", () => {
    const again = existsSync(import.meta.dirname + "/ran-" + process.env.BINNACLE_SEED);
    writeFileSync(import.meta.dirname + "/ran-" + process.env.BINNACLE_SEED, "");
    expect(again).toBe(true);
  });`;

/** Runs `npm test`'s script on a folder with one test file in this tier. */
function runOn(source: string, environment: Readonly<Record<string, string>> = {}, tier = "unit") {
  return runOnFiles({ "sample.test.ts": source }, environment, tier);
}

function runOnFiles(
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
  tier = "unit",
) {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-reporter-"));
  try {
    for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
    const config = { test: { projects: [{ extends: true, test: { name: tier } }] } };
    writeFileSync(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify(config)};`);
    const { stdout, status } = spawnSync(process.execPath, [script, "--root", folder, "--globals"], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...environment },
      timeout: 60_000,
    });
    const lines = stdout.trimEnd().split("\n");
    return { status, lines, last: lines.at(-1) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the end of a test run", { timeout: 60_000 }, () => {
  test("has the closing line after the seed of all test files", () => {
    const run = runOn(`test("sees it", () => expect(process.env.BINNACLE_SEED).toBe("42"));`, { BINNACLE_SEED: "42" });
    expect(run.lines[0]).toBe("seed 42");
    expect(run).toMatchObject({ status: 0, last: "1 passed, 0 failed" });
  });

  test.each([
    ["a failing test", `${passing} test("fails", () => expect(1).toBe(2));`, "1 passed, 1 failed"],
    ["a file that does not load", `${passing} throw new Error("no");`, "0 passed, 1 failed"],
    ["an error outside of every test", `${passing} void Promise.reject(new Error("stray"));`, "1 passed, 1 failed"],
    ["a file without tests", `export {};`, "0 passed, 1 failed"],
  ])("is a failure after %s", (_, source, last) => {
    expect(runOn(source)).toMatchObject({ status: 1, last });
  });

  test("is a failure when the set-up of a suite fails", () => {
    const run = runOn(`describe("s", () => { beforeAll(() => { throw new Error("no"); }); ${passing} });`);
    expect(run.status).toBe(1);
    expect(run.last).toContain("0 passed, 1 failed");
  });

  test("names skipped tests with their reasons, and fails for them only in CI", () => {
    const source = `${passing} test("waits", (context) => context.skip("no envoy here"));`;
    const run = runOn(source);
    expect(run).toMatchObject({ status: 0, last: "1 passed, 0 failed, 1 skipped" });
    expect(run.lines).toContain("skipped: sample.test.ts > waits: no envoy here");
    expect(runOn(source, { CI: "true" })).toMatchObject({ status: 1, last: "1 passed, 0 failed, 1 skipped" });
  });

  test("names a file once when several of its tests are skipped for one reason", () => {
    const skips = ["a", "b"].map((name) => `test("${name}", (context) => context.skip("no envoy here"));`);
    expect(runOn(`${passing} ${skips.join(" ")}`).lines).toContain("skipped: sample.test.ts (2 tests): no envoy here");
  });

  test.each(["e2e", "load"])("counts the second run of a failed file of the tier %s, and names the first", (tier) => {
    const run = runOn(`${passing} ${unsteady}`, {}, tier);
    expect(run).toMatchObject({ status: 0, last: "2 passed, 0 failed" });
    expect(run.lines).toContain("unsteady: sample.test.ts > is unsteady: failed, then passed when its file ran again");
  });

  test("is a failure if the second run fails, too", () => {
    const run = runOn(`${passing} test("fails", () => expect(1).toBe(2));`, {}, "e2e");
    expect(run).toMatchObject({ status: 1, last: "1 passed, 1 failed" });
    expect(run.lines.filter((line) => line.startsWith("unsteady:"))).toEqual([]);
  });

  test("runs nothing again in tiers without processes", () => {
    expect(runOn(unsteady)).toMatchObject({ status: 1, last: "0 passed, 1 failed" });
  });

  test("runs nothing again if more than three files fail", () => {
    const names = ["a", "b", "c", "d"];
    const files = names.map((name) => [`${name}.test.ts`, unsteady.replaceAll("/ran-", `/ran-${name}-`)]);
    expect(runOnFiles(Object.fromEntries(files), {}, "e2e")).toMatchObject({ status: 1, last: "0 passed, 4 failed" });
  });
});
