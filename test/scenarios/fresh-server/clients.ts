import type { CatalogueClient } from "../../../src/testing/mesh/held-leases.ts";
import { proxyNamed } from "../../../src/testing/model/proxy-named.ts";

function client(id: string, namespace: string, app: string, metadata: Readonly<Record<string, string>> = {}) {
  const nodeId = `${id}~${app}-0.${namespace}~${namespace}.svc.cluster.local`;
  return { proxy: proxyNamed(nodeId, { CLUSTER_ID: "Kubernetes", LABELS: { app }, ...metadata }) };
}

const hostnames = ["one.a.svc.cluster.local", "two.a.svc.cluster.local", "three.b.svc.cluster.local"];
const clusters = hostnames.flatMap((hostname) => [`outbound|80||${hostname}`, `outbound|80|v1|${hostname}`]);
const asked = {
  CDS: new Set(clusters),
  EDS: new Set(clusters),
  LDS: new Set([...hostnames, "one:80", "two.a:81", "xds.istio.io/grpc/lds/inbound/0.0.0.0:8080"]),
  RDS: new Set(clusters),
};

/** One of each kind that gets something else than the others. */
export const clients: readonly CatalogueClient[] = [
  client("router~10.0.0.9", "a", "edge"),
  client("router~10.0.0.8", "istio-system", "edge"),
  client("sidecar~10.0.0.1", "a", "x"),
  client("sidecar~10.1.0.1", "b", "y", { SDS_MODE: "none" }),
  client("sidecar~10.0.0.2", "a", "x", { INTERCEPTION_MODE: "NONE" }),
  client("sidecar~10.0.0.5", "b", "x", { NETWORK: "north", HTTP_PROXY_PORT: "15080" }),
  client("sidecar~10.0.0.3", "a", "x", { GENERATOR: "grpc" }),
  { ...client("sidecar~10.0.0.1", "a", "x", { GENERATOR: "grpc" }), asked },
];
