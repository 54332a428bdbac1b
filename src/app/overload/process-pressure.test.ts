import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const code = pathToFileURL(join(import.meta.dirname, "process-pressure.ts")).href;
const heapMib = 64;

/**
 * Keeps 84 % of the old generation in use, and makes garbage: collections take more than 60 % of the time. V8 ends a
 * process after four such collections in a row, which may take longer on a busy machine.
 */
const program = `
import { getHeapSpaceStatistics } from "node:v8";
import { ProcessPressure } from ${JSON.stringify(code)};
if (process.argv[1] === "measured") new ProcessPressure().start(() => undefined);
const isOld = ({ space_name: name }) => !name.startsWith("new_");
const old = () => getHeapSpaceStatistics().filter(isOld).reduce((sum, { space_used_size: used }) => sum + used, 0);
const live = [];
for (gc(); old() < ${0.84 * heapMib * 2 ** 20}; gc()) {
  for (let count = 0; count < 20_000; count++) live.push({ next: live.at(-1), content: [count] });
}
const recent = [];
for (let round = 0; round < Number(process.argv[2]); round++) {
  recent[round % 20] = Array.from({ length: 500 }, (_, index) => ({ index, content: [index] }));
}
process.stdout.write(live.length > 0 ? "alive" : "empty");
process.exit();
`;

function run(mode: "measured" | "plain", rounds: number) {
  const flags = ["--expose-gc", `--max-old-space-size=${heapMib}`];
  return spawnSync(process.execPath, [...flags, "--input-type=module", "--eval", program, mode, String(rounds)], {
    encoding: "utf8",
  });
}

test("V8 does not end a process that is measured before its heap is full", () => {
  expect(run("measured", 4_000)).toMatchObject({ status: 0, stdout: "alive" });
  const early = expect.stringContaining("Ineffective mark-compacts near heap limit");
  expect(run("plain", 200_000)).toMatchObject({ signal: "SIGABRT", stderr: early });
});
