import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

/** Makes garbage of all ages, as a start does, and prints the size of the young generation in MB. */
const program = `
import { boundYoungGeneration, collectEarly } from ${JSON.stringify(new URL("small-heap.ts", import.meta.url).href)};
import { getHeapSpaceStatistics } from "node:v8";
boundYoungGeneration();
if (process.argv[1] === "early") collectEarly();
let kept = [];
for (let turn = 0; turn < 20; turn += 1) {
  for (let index = 0; index < 50_000; index += 1) kept.push({ index, others: [index] });
  if (turn % 10 === 9) kept = [];
}
console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space").space_size / 2 ** 20);
`;

async function youngMib(flags: readonly string[], argument: string, source = program): Promise<number> {
  const { stdout } = await run(process.execPath, [...flags, "--input-type=module", "-e", source, "--", argument]);
  return Number(stdout);
}

/** Does nothing but collect until V8 shrinks the young generation, lets the event loop turn, and prints the size. */
const idleProgram = `
import { boundYoungGeneration, keepYoungGeneration } from ${JSON.stringify(new URL("small-heap.ts", import.meta.url).href)};
import { setTimeout as pause } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
const size = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space").space_size / 2 ** 20;
boundYoungGeneration();
if (process.argv[1] === "kept") keepYoungGeneration();
let least = size();
for (let turn = 0; turn < 200 && least >= 8; turn += 1) {
  await pause(20);
  gc({ type: "minor" });
  least = size();
}
for (let turn = 0; turn < 10; turn += 1) await pause(20);
console.log(least < 8 ? size() : "not shrunk");
`;

test("the young generation stays at 8 MB, whatever survives", async () => {
  expect(await youngMib([], "")).toBe(8);
});

test("a young generation that V8 has shrunk gets its size back", async () => {
  expect(await youngMib(["--expose-gc"], "", idleProgram)).toBeLessThan(8);
  expect(await youngMib(["--expose-gc"], "kept", idleProgram)).toBeGreaterThanOrEqual(8);
});

test("early full collections, which count pages twice while they move them, let it grow no further", async () => {
  // Without a bound it has 64 MB here.
  expect(await youngMib([], "early")).toBeLessThan(24);
});

test("a size that the user sets counts", async () => {
  expect(await youngMib(["--max-semi-space-size=16"], "")).toBeGreaterThan(16);
});
