import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { JsonValue, Registry } from "@bufbuild/protobuf";
import { beforeAll, expect, test } from "vitest";
import { type OfflineMesh, readMesh } from "../../src/app/offline.ts";
import { compareTexts } from "../../src/lib/compare.ts";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
import { bodyOf, proxyFrom } from "./generate.ts";
import { normalise } from "./normalise.ts";
import { loadRegistry } from "./registry.ts";

const page = resolve(import.meta.dirname, "../../docs/reference/generators-differences.md");
const scenarios = globSync("*/nodes.json", { cwd: istiodGoldens }).map(dirname).toSorted();
/** Types whose clients ask by name: what nobody asked for was not recorded. */
const byName = new Set(["EDS", "RDS", "SDS"]);

interface RecordedNode {
  readonly name: string;
  readonly id: string;
}

interface Recording {
  readonly request: { readonly names: readonly string[] };
  readonly answered: boolean;
  readonly resources: readonly { readonly name: string; readonly body: JsonValue }[];
}

/** `scenario proxy type` of each row, those for all proxies one by one. */
function written(): readonly string[] {
  const rows = readFileSync(page, "utf8").matchAll(/^\| `(?<scenario>\S+)` \| `(?<proxy>\S+)` \| (?<type>\w+) \|/gmu);
  return Array.from(rows, ({ groups: { scenario = "", proxy = "", type = "" } = {} }) => {
    const names = proxy === "*" ? nodesOf(scenario).map(({ name }) => name) : [proxy];
    return names.map((name) => `${scenario} ${name} ${type}`);
  }).flat();
}

function read(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(istiodGoldens, ...path), "utf8"));
}

function nodesOf(scenario: string): readonly RecordedNode[] {
  return read(scenario, "nodes.json") as readonly RecordedNode[];
}

async function meshOf(scenario: string): Promise<OfflineMesh> {
  const folders = ["conf", "kube"].map((folder) => join(istiodGoldens, scenario, folder));
  return readMesh({
    inputs: folders.filter((folder) => existsSync(folder)),
    mesh: join(istiodGoldens, scenario, "mesh.yaml"),
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
}

describeWithData(istiodGoldens, "what remains different from istiod 1.29.6", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await loadRegistry();
  });

  test.each(scenarios)("is written down, and nothing else: %s", async (scenario) => {
    const mesh = await meshOf(scenario);
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

  test("is about scenarios that were recorded", () => {
    expect(written().filter((each) => !scenarios.includes(each.split(" ", 1)[0] ?? ""))).toEqual([]);
  });

  function differs(mesh: OfflineMesh, scenario: string, node: RecordedNode, type: string): boolean {
    const { request, answered, resources } = read(scenario, "expect", node.name, `${type}.json`) as Recording;
    // Ours answers whoever asks.
    if (request.names.length > 0 && !answered) return true;
    const typed = mesh.resourcesFor(proxyFrom({ ...node })).find(({ shortName }) => shortName === type);
    const asked = (typed?.resources ?? []).filter(({ name }) => !byName.has(type) || request.names.includes(name));
    const ours = asked.toSorted((a, b) => compareTexts(a.name, b.name)).map((each) => bodyOf(each, registry));
    return !isDeepStrictEqual(
      ours.map(normalise),
      resources.map(({ body }) => normalise(body)),
    );
  }
});
