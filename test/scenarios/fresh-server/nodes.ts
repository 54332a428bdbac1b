import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import type { Proxy } from "../../../src/pilot/model/proxy/proxy.ts";
import { proxyOf } from "../../../src/pilot/xds/node.ts";
import { credentialNames } from "../../../src/testing/mesh/credential-edits.ts";
import type { CatalogueClient } from "../../../src/testing/mesh/held-leases.ts";

/** The node of a client, in the form that goes over a pipe. */
export interface NodeFacts {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly locality: { readonly region: string; readonly zone: string };
  /** True if it subscribes by name. Otherwise it uses wildcards. */
  readonly byName: boolean;
  /** The number of changes after which it connects. */
  readonly arrives: number;
}

const hostnames = ["one.a.svc.cluster.local", "two.a.svc.cluster.local", "three.b.svc.cluster.local"];
const clusters = hostnames.flatMap((hostname) => [`outbound|80||${hostname}`, `outbound|80|v1|${hostname}`]);
const credentials = { SDS: new Set([...credentialNames, "ROOTCA"]) };
const asked = {
  ...credentials,
  CDS: new Set(clusters),
  EDS: new Set(clusters),
  LDS: new Set([...hostnames, "one:80", "two.a:81", "xds.istio.io/grpc/lds/inbound/0.0.0.0:8080"]),
  RDS: new Set(clusters),
};

/** A separate client for each server, so that servers share no remembered state. */
export function clientOf({ id, metadata, locality, byName }: NodeFacts): CatalogueClient {
  const proxy: Proxy = { ...proxyOf(create(NodeSchema, { id, metadata, locality })), keyAccess: "allowed" };
  return { proxy, asked: byName ? asked : credentials };
}

function node(id: string, namespace: string, app: string, metadata: NodeFacts["metadata"] = {}): NodeFacts {
  return {
    id: `${id}~${app}-0.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { CLUSTER_ID: "Kubernetes", LABELS: { app }, ...metadata },
    locality: { region: "", zone: "" },
    byName: false,
    arrives: 0,
  };
}

/** One of each kind of node that gets different resources. They are always connected. */
export const usualNodes: readonly NodeFacts[] = [
  node("router~10.0.0.9", "a", "edge"),
  node("router~10.0.0.8", "istio-system", "edge"),
  node("sidecar~10.0.0.1", "a", "x"),
  {
    ...node("sidecar~10.1.0.1", "b", "y", { SDS_MODE: "none", NODE_NAME: "m" }),
    locality: { region: "eu", zone: "a" },
  },
  node("sidecar~10.0.0.2", "a", "x", { INTERCEPTION_MODE: "NONE", INSTANCE_IPS: "10.0.0.2,10.0.7.1" }),
  node("sidecar~10.0.0.5", "b", "x", { NETWORK: "north", HTTP_PROXY_PORT: "15080" }),
  node("sidecar~10.0.0.3", "b", "z", { GENERATOR: "grpc" }),
  { ...node("sidecar~10.0.0.1", "a", "x", { GENERATOR: "grpc" }), byName: true },
];

const addresses = fc.constantFrom("10.0.0.1", "10.0.0.2", "10.1.0.1", "10.0.7.1", "fd00::1", "10.0.0.1,fd00::1");
const flag = fc.constant("true");
const metadata = fc.record(
  {
    CLUSTER_ID: fc.constantFrom("Kubernetes", "other"),
    NETWORK: fc.constantFrom("north", "south", "west"),
    REQUESTED_NETWORK_VIEW: fc.constantFrom("north", "north,south"),
    INTERCEPTION_MODE: fc.constantFrom("NONE", "TPROXY", "REDIRECT"),
    GENERATOR: fc.constant("grpc"),
    SDS_MODE: fc.constant("none"),
    HTTP_PROXY_PORT: fc.constantFrom("15080", "15081"),
    HTTP10: fc.constant("1"),
    IDLE_TIMEOUT: fc.constantFrom("30s", "1h"),
    ISTIO_DUAL_STACK: flag,
    ISTIO_VERSION: fc.constantFrom("1.20.0", "1.29.6"),
    INBOUND_LISTENER_EXACT_BALANCE: flag,
    OUTBOUND_LISTENER_EXACT_BALANCE: flag,
    NODE_NAME: fc.constantFrom("m", "n"),
    SERVICE_ACCOUNT: fc.constantFrom("x", "y"),
    UNPRIVILEGED_POD: flag,
    WORKLOAD_NAME: fc.constantFrom("x", "y"),
  },
  { requiredKeys: [] },
);
/** At most four fields, so that rare fields, which select endpoints of other places, also occur with few others. */
const few = metadata.chain((all) => fc.subarray(Object.keys(all), { maxLength: 4 }).map((keys) => picked(all, keys)));

function picked(all: object, keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)));
}

const labels = fc.record(
  {
    app: fc.constantFrom("x", "y", "edge"),
    version: fc.constantFrom("v1", "v2"),
    istio: fc.constantFrom("ingress", "ingressgateway"),
    "topology.kubernetes.io/region": fc.constantFrom("eu", "us"),
    "security.istio.io/tlsMode": fc.constant("istio"),
  },
  { requiredKeys: ["app"] },
);

/** Any node. */
export const anyNode: fc.Arbitrary<NodeFacts> = fc
  .record({
    type: fc.constantFrom("sidecar", "sidecar", "sidecar", "router"),
    ips: addresses,
    namespace: fc.constantFrom("a", "a", "b", "istio-system"),
    labels,
    few,
    locality: fc.constantFrom({ region: "", zone: "" }, { region: "eu", zone: "a" }, { region: "us", zone: "c" }),
    byName: fc.nat(3).map((chance) => chance === 0),
    arrives: fc.nat(6),
  })
  .map(({ type, ips, namespace, labels: LABELS, few: chosen, ...facts }) => ({
    ...facts,
    id: `${type}~${ips.split(",")[0]}~p-0.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { LABELS, INSTANCE_IPS: ips, ...chosen },
    byName: facts.byName && chosen["GENERATOR"] === "grpc",
  }));
