import type { ModelNode } from "../../../src/testing/envoy/envoy-model.ts";
import { clusterType, endpointType, listenerType } from "../../../src/xds/type-urls.ts";
import { usualNodes } from "../fresh-server/nodes.ts";
import type { NamesNode } from "./names-client.ts";

/** The servers of the tests give keys to clients on their machine. */
const onThisMachine = { address: "127.0.0.1:40000" };

type Node = ModelNode & { readonly mode: "sotw" | "delta" };

function inBothModes(node: ModelNode): readonly Node[] {
  return [
    { ...node, mode: "sotw" },
    { ...node, mode: "delta" },
  ];
}

/** Envoys of each kind, in both protocols. The last ones of the first kinds take virtual hosts as resources. */
const usual = usualNodes
  .filter(({ metadata }) => metadata["GENERATOR"] === undefined)
  .map(({ id: nodeId, metadata, locality }) => ({ nodeId, metadata, locality, asksForAll: true }))
  .flatMap((node, index) => [
    ...inBothModes(node),
    ...(index < 3 ? [{ ...node, mode: "delta" as const, minor: 40 }] : []),
  ]);

interface Place {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
}

function node(id: string, { namespace, labels, metadata = {} }: Place): ModelNode {
  return {
    nodeId: `${id}~p-0.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { CLUSTER_ID: "Kubernetes", LABELS: labels, ...metadata },
    asksForAll: true,
  };
}

const inA = { namespace: "a", labels: { app: "x" } };
const one = "one.a.svc.cluster.local";

/** Each differs from an Envoy above, or from another one here, in a single thing. */
const alike: readonly Node[] = [
  { ...node("sidecar~10.0.0.3", inA), mode: "delta" },
  ...inBothModes({ ...node("sidecar~10.0.0.3", inA), locality: { region: "eu", zone: "a" } }),
  { ...node("sidecar~10.0.0.3", { ...inA, labels: { app: "x", version: "v9" } }), mode: "delta" },
  { ...node("sidecar~10.0.0.3", inA), mode: "delta", minor: 40 },
  ...inBothModes({
    ...node("sidecar~10.0.0.3", inA),
    clusters: [`outbound|80||${one}`, "outbound|80||gone.a.svc.cluster.local"],
  }),
  { ...node("sidecar~10.0.0.4", { namespace: "b", labels: { app: "z" } }), mode: "delta" },
  {
    ...node("sidecar~10.0.0.4", { namespace: "b", labels: { app: "z" }, metadata: { ISTIO_VERSION: "1.20.0" } }),
    mode: "sotw",
  },
  { ...node("router~10.0.0.7", { namespace: "a", labels: { app: "other" } }), mode: "delta" },
  { ...node("router~10.0.0.7", { namespace: "a", labels: { app: "edge" } }), mode: "delta" },
];

/** Envoys that get different resources, some of the same parts. */
export const fleetNodes: readonly Node[] = [...usual, ...alike].map((each) => ({ ...each, peer: onThisMachine }));

const grpc = node("sidecar~10.0.0.1", { ...inA, metadata: { GENERATOR: "grpc" } });
const all: readonly string[] = [];

/** gRPC clients: they ask for listeners by name, and for what these refer to. */
export const grpcNodes: readonly NamesNode[] = [
  ...inBothModes(grpc).map((each) => ({ ...each, follows: true, asks: new Map([[listenerType, [`${one}:80`]]]) })),
  ...inBothModes(grpc).map((each) => ({
    ...each,
    follows: true,
    asks: new Map([[listenerType, [`${one}:80`, "two.a.svc.cluster.local:80"]]]),
  })),
];

/**
 * Programs that look at a part of the mesh, with the node of an Envoy. A plan knows that such a client does not follow
 * references only if it holds some when the plan is made.
 */
export const watchingNodes: readonly NamesNode[] = inBothModes(node("sidecar~10.0.0.3", inA)).flatMap((each) => [
  { ...each, follows: false, asks: new Map([[clusterType, all]]) },
  {
    ...each,
    follows: false,
    asks: new Map([
      [clusterType, all],
      [listenerType, all],
    ]),
  },
  {
    ...each,
    follows: false,
    asks: new Map([
      [endpointType, [`outbound|80||${one}`]],
      [listenerType, all],
    ]),
  },
]);
