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

async function youngMib(flags: readonly string[], argument: string): Promise<number> {
  const { stdout } = await run(process.execPath, [...flags, "--input-type=module", "-e", program, "--", argument]);
  return Number(stdout);
}

test("the young generation stays at 8 MB, whatever survives", async () => {
  expect(await youngMib([], "")).toBe(8);
});

test("early full collections, which count pages twice while they move them, let it grow no further", async () => {
  // Without a bound it has 64 MB here.
  expect(await youngMib([], "early")).toBeLessThan(24);
});

test("a size that the user sets counts", async () => {
  expect(await youngMib(["--max-semi-space-size=16"], "")).toBeGreaterThan(16);
});
