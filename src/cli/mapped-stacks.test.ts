import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { MappedStacks } from "./mapped-stacks.ts";

const folder = mkdtempSync(join(tmpdir(), "binnacle-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The second line of a built file comes from the third line of a source. */
const map = { version: 3, sources: ["../src/a.ts"], names: [], mappings: ";AAEA" };
writeFileSync(join(folder, "built.js.map"), JSON.stringify(map));
writeFileSync(join(folder, "spoilt.js.map"), "{");

function lineOf(call: string): string | undefined {
  const site = { toString: () => call };
  return new MappedStacks().stackOf(new TypeError("no"), [site]).split("\n").at(-1);
}

const url = (file: string): string => String(pathToFileURL(join(folder, file)));

test("a call in a built file is shown at its place in the source", () => {
  expect(lineOf(`run (${url("built.js")}:2:1)`)).toBe(`    at run (${join(folder, "../src/a.ts")}:3:1)`);
  expect(lineOf(`${url("built.js")}:2:1`)).toBe(`    at ${join(folder, "../src/a.ts")}:3:1`);
});

test.each([
  ["in a file without a map", `run (${url("other.js")}:2:1)`],
  ["in a file with a spoilt map", `run (${url("spoilt.js")}:2:1)`],
  ["before the first line that the map knows", `run (${url("built.js")}:1:1)`],
  ["in Node itself", "node:internal/process/task_queues:105:5"],
])("a call %s stays as it is", (_, call) => {
  expect(lineOf(call)).toBe(`    at ${call}`);
});

test("a stack begins with the error, as V8 writes it", () => {
  expect(new MappedStacks().stackOf(new TypeError("no"), [])).toBe("TypeError: no");
});
