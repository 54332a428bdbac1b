import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@bufbuild/protobuf";
import { type OfflineMesh, readMesh } from "../../src/app/offline/read-mesh.ts";
import { compareTexts } from "../../src/lib/compare.ts";
import { decodedResource } from "../../src/testing/envoy/decoded-resource.ts";
import { istiodGoldens } from "../../src/testing/shared-data.ts";
import { proxyFrom } from "./generate.ts";
import { normalise } from "./normalise.ts";

/** A proxy that connected to istiod. */
export interface RecordedNode {
  readonly name: string;
  readonly id: string;
  /** The recorder used the name. */
  readonly cluster?: string;
  /** The extensions that its Envoy was built with. */
  readonly extensions?: { readonly typeUrls: string[] }[];
}

/** The recorded response for one type. */
interface Recording {
  readonly request: { readonly names: readonly string[] };
  readonly answered: boolean;
  readonly resources: readonly { readonly name: string; readonly body: JsonValue }[];
}

/** Types with subscriptions by name: resources without a subscription were not recorded. */
const byName: ReadonlySet<string> = new Set(["EDS", "RDS", "SDS", "ECDS"]);

function read(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(istiodGoldens, ...path), "utf8"));
}

export function nodesOf(scenario: string): readonly RecordedNode[] {
  const nodes = read(scenario, "nodes.json") as readonly RecordedNode[];
  return nodes.map((node) => ({ cluster: node.name, ...node }));
}

export function recordingOf(scenario: string, node: RecordedNode, type: string, folder = "expect"): Recording {
  return read(scenario, folder, node.name, `${type}.json`) as Recording;
}

/** The recorded mesh, with its Kubernetes objects. Each scenario has one. */
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

/** The resources of one type for a proxy, from us and from istiod, in a comparable form. */
export function answersTo(
  node: RecordedNode,
  { type, mesh, recording }: { readonly type: string; readonly mesh: OfflineMesh; readonly recording: Recording },
): Answers {
  const { request, resources } = recording;
  const typed = mesh.resourcesFor(proxyFrom({ ...node })).find(({ shortName }) => shortName === type);
  const asked = (typed?.resources ?? []).filter(({ name }) => !byName.has(type) || request.names.includes(name));
  return {
    ours: asked
      .toSorted((a, b) => compareTexts(a.name, b.name))
      .map((resource) => normalise(decodedResource(resource))),
    theirs: resources.map(({ body }) => normalise(body)),
  };
}
