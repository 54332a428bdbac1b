import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import type { OfflineMesh } from "../../src/app/offline/read-mesh.ts";
import { compareTexts } from "../../src/lib/compare.ts";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
import { answersTo, nodesOf, type RecordedNode, recordedMesh, recordingOf } from "./recordings.ts";

const page = resolve(import.meta.dirname, "../../docs/reference/generators-differences.md");
const scenarios = globSync("*/nodes.json", { cwd: istiodGoldens }).map(dirname).toSorted();

/** `scenario proxy type` of each row, those for all proxies one by one. */
function written(): readonly string[] {
  const rows = readFileSync(page, "utf8").matchAll(/^\| `(?<scenario>\S+)` \| `(?<proxy>\S+)` \| (?<type>\w+) \|/gmu);
  return Array.from(rows, ({ groups: { scenario = "", proxy = "", type = "" } = {} }) => {
    const names = proxy === "*" ? nodesOf(scenario).map(({ name }) => name) : [proxy];
    return names.map((name) => `${scenario} ${name} ${type}`);
  }).flat();
}

function differs(mesh: OfflineMesh, scenario: string, node: RecordedNode, type: string): boolean {
  const recording = recordingOf(scenario, node, type);
  // Our server answers every client.
  if (recording.request.names.length > 0 && !recording.answered) return true;
  const { ours, theirs } = answersTo(node, { type, mesh, recording });
  return !isDeepStrictEqual(ours, theirs);
}

describeWithData(istiodGoldens, "each remaining difference from istiod 1.29.6", () => {
  test.each(scenarios)("is documented, and no other: %s", async (scenario) => {
    const mesh = await recordedMesh(scenario);
    const found = nodesOf(scenario).flatMap((node) => {
      const recorded = globSync("*.json", { cwd: join(istiodGoldens, scenario, "expect", node.name) });
      const types = recorded.map((file) => file.replace(".json", ""));
      return types
        .filter((type) => differs(mesh, scenario, node, type))
        .map((type) => `${scenario} ${node.name} ${type}`);
    });
    expect(found.toSorted(compareTexts)).toEqual(
      written()
        .filter((each) => each.startsWith(`${scenario} `))
        .toSorted(compareTexts),
    );
  });

  test("belongs to recorded scenarios", () => {
    expect(written().filter((each) => !scenarios.includes(each.split(" ", 1)[0] ?? ""))).toEqual([]);
  });
});
