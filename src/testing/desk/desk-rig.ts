import { pilotStateOf } from "../../app/parts/pilot-state.ts";
import { LogScopes } from "../../app/log/log-scopes.ts";
import type { ControlPlaneState } from "../../desk/api/control-plane-state.ts";
import type { DeskState } from "../../desk/api/desk-state.ts";
import { WhatIfGate } from "../../desk/explain/what-if-gate.ts";
import { WhatIfMesh } from "../../desk/explain/what-if-mesh.ts";
import { Overload } from "../../lib/overload/overload.ts";
import { routeType } from "../../xds/type-urls.ts";
import { RecordingLogger } from "../recording/recording-logger.ts";
import { deskLog } from "./desk-log.ts";
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
---${routesOf(namespace, edit)}---
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: gate-${namespace}, namespace: ${namespace}}
spec:
  selector: {gate: ${namespace}}
  servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["store-${namespace}.example"]}]
`;
}

function routesOf(namespace: string, edit: number): string {
  return `
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
  const begin = [objectsOf("aaa", 0), objectsOf("bbb", 0)].join("---");
  const later = [routesOf("aaa", 1), routesOf("bbb", 1), routesOf("bbb", 2)].join("---");
  const clients = Array.from(mesh.discovery.connections, ({ client }) => client);
  return { mesh, proxies, state: { ...deskStateOf(mesh), history: await deskLog(begin, later, clients) } };
}

/** The facts of a process that listens at no address. */
function controlPlaneOf(discovery: JournalMesh["discovery"]): ControlPlaneState {
  const off = "off";
  return {
    addresses: () => ({ xds: off, "xds-tls": off, http: off, metrics: off, webhook: off, mcp: off, ctrlz: off }),
    queue: () => ({ waiting: discovery.queued, longestWaitMs: discovery.queueMs }),
    debounce: { quietMs: 10, maxWaitMs: 100 },
    overload: new Overload(),
    watchdog: () => ({ type: "off" }),
    memory: () => ({ heapUsedBytes: 1, rssBytes: 2, uptimeMs: 3 }),
    desks: () => ({ desks: 0, slowDesks: 0 }),
    certificates: () => [
      { name: "xds-tls", subject: "CN=late", expires: "2027-01-01T00:00:00.000Z" },
      { name: "webhook", subject: "CN=soon", expires: "2026-01-01T00:00:00.000Z" },
    ],
    scopes: new LogScopes(new RecordingLogger(), {}),
    problems: () => [],
  };
}

export function deskStateOf(mesh: JournalMesh): DeskState {
  const { journal, discovery, environment, processor, clock, settings } = mesh;
  const gate = new WhatIfGate(new Overload());
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
    controlPlane: controlPlaneOf(discovery),
    objects: processor,
    rollouts: mesh.discovery.rollouts,
    newestText: () => Promise.resolve(undefined),
    whatIf: {
      mesh: new WhatIfMesh({
        environment,
        settings,
        discovery,
        clock: { part: "desk", now: () => clock.now(), after: (ms, run) => clock.after(ms, run) },
        turn: () => Promise.resolve(),
      }),
      enter: () => gate.enter(),
    },
    history: undefined,
    turn: () => Promise.resolve(),
    now: () => new Date(0),
  };
}
