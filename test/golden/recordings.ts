import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@bufbuild/protobuf";
import { type OfflineMesh, readMesh } from "../../src/app/offline/read-mesh.ts";
import { compareTexts } from "../../src/lib/compare.ts";
import { resourceJson } from "../../src/testing/envoy/resource-json.ts";
import { istiodGoldens } from "../../src/testing/shared-data.ts";
import { proxyFrom } from "./generate.ts";
import { normalise } from "./normalise.ts";

/** A proxy that asked istiod. */
export interface RecordedNode {
  readonly name: string;
  readonly id: string;
  /** What its Envoy was built with. */
  readonly extensions?: { readonly typeUrls: string[] }[];
}

/** What it was answered for one type. */
interface Recording {
  readonly request: { readonly names: readonly string[] };
  readonly answered: boolean;
  readonly resources: readonly { readonly name: string; readonly body: JsonValue }[];
}

/** Types whose clients ask by name: what nobody asked for was not recorded. */
const byName: ReadonlySet<string> = new Set(["EDS", "RDS", "SDS"]);

function read(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(istiodGoldens, ...path), "utf8"));
}

export function nodesOf(scenario: string): readonly RecordedNode[] {
  return read(scenario, "nodes.json") as readonly RecordedNode[];
}

export function recordingOf(scenario: string, node: RecordedNode, type: string, folder = "expect"): Recording {
  return read(scenario, folder, node.name, `${type}.json`) as Recording;
}

/** The mesh that was recorded, with what it has of Kubernetes; of each scenario there is one. */
export function recordedMesh(scenario: string): Promise<OfflineMesh> {
  const mesh = meshes.get(scenario) ?? readRecorded(scenario);
  meshes.set(scenario, mesh);
  return mesh;
}

const meshes = new Map<string, Promise<OfflineMesh>>();

async function readRecorded(scenario: string): Promise<OfflineMesh> {
  const folders = ["conf", "kube"].map((folder) => join(istiodGoldens, scenario, folder));
  return readMesh({
    inputs: folders.filter((folder) => existsSync(folder)),
    mesh: join(istiodGoldens, scenario, "mesh.yaml"),
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
}

interface Answers {
  readonly ours: readonly JsonValue[];
  readonly theirs: readonly JsonValue[];
}

/** What a proxy gets of one type, from us and from istiod, in a form that can be compared. */
export function answersTo(
  node: RecordedNode,
  { type, mesh, recording }: { readonly type: string; readonly mesh: OfflineMesh; readonly recording: Recording },
): Answers {
  const { request, resources } = recording;
  const typed = mesh.resourcesFor(proxyFrom({ ...node })).find(({ shortName }) => shortName === type);
  const asked = (typed?.resources ?? []).filter(({ name }) => !byName.has(type) || request.names.includes(name));
  return {
    ours: asked.toSorted((a, b) => compareTexts(a.name, b.name)).map((resource) => normalise(resourceJson(resource))),
    theirs: resources.map(({ body }) => normalise(body)),
  };
}
