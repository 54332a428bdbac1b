import { pilotStateOf } from "../../app/parts/pilot-state.ts";
import type { DeskState } from "../../desk/api/desk-state.ts";
import { routeType } from "../../xds/type-urls.ts";
import { JournalMesh } from "./journal-mesh.ts";

function objectsOf(namespace: string, edit: number): string {
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: store-${namespace}, namespace: ${namespace}}
spec:
  hosts: [store-${namespace}.${namespace}.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.${namespace === "aaa" ? 1 : 2}.1}]
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: routes-${namespace}, namespace: ${namespace}}
spec:
  hosts: [store-${namespace}.${namespace}.svc.cluster.local]
  http:
  - headers: {request: {set: {x-edit: "${edit}"}}}
    route: [{destination: {host: store-${namespace}.${namespace}.svc.cluster.local}}]
`;
}

export function nodeIn(namespace: string): string {
  return `sidecar~10.9.0.1~proxy-${namespace}.${namespace}~${namespace}.svc.cluster.local`;
}

/**
 * A desk over a mesh with two namespaces, `aaa` and `bbb`, and a proxy in each. All names of a namespace contain it, so
 * that a test can look for them in an answer. Three changes: the start, one of both namespaces, one of `bbb` alone. The
 * proxy of `bbb` rejects the last one.
 */
export async function deskRig() {
  const mesh = await JournalMesh.serving([objectsOf("aaa", 0), objectsOf("bbb", 0)].join("---"));
  const connect = (namespace: string) =>
    mesh.connect("sotw", { nodeId: nodeIn(namespace), metadata: { NAMESPACE: namespace } });
  const proxies = { aaa: connect("aaa"), bbb: connect("bbb") };
  const all = [proxies.aaa, proxies.bbb];
  await mesh.settle(all);
  mesh.source.apply([objectsOf("aaa", 1), objectsOf("bbb", 1)].join("---"));
  await mesh.settle(all);
  proxies.bbb.reject = (typeUrl) => typeUrl === routeType;
  mesh.source.apply(objectsOf("bbb", 2));
  await mesh.settle(all);
  return { mesh, proxies, state: deskStateOf(mesh) };
}

function deskStateOf({ journal, discovery, environment, processor, clock }: JournalMesh): DeskState {
  return {
    ...pilotStateOf({ discovery, environment, clock }),
    configs: processor.outputs,
    sources: () => [],
    clashes: () => processor.clashes(),
    journal,
    server: { version: "1", commit: "c", start: journal.start, startedAt: "2026-01-01T00:00:00.000Z" },
    findings: {
      analysis: () => ({ report: { messages: [], skipped: [] }, pending: false }),
      issues: () => [],
    },
    now: () => new Date(0),
  };
}
