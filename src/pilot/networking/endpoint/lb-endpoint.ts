import { HealthStatus } from "#gen/envoy/config/core/v3/health_check_pb.js";
import { LbEndpointSchema } from "#gen/envoy/config/endpoint/v3/endpoint_components_pb.js";
import type { Labels } from "../../../config/config.ts";
import type { EndpointHealth } from "../../../config/mesh/mesh-service.ts";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Endpoint } from "../../model/service/service.ts";
import { addressOf } from "../address.ts";

/** One endpoint, encoded once for all its clusters. */
export function lbEndpointOf(endpoint: Endpoint, writer: ProtoWriter): Uint8Array {
  return encodeEndpoint([endpoint, writer]);
}

/** One encoding per endpoint: a changed endpoint does not encode the others of its service again. */
const encodeEndpoint = memoize(([endpoint, writer]: readonly [Endpoint, ProtoWriter]) =>
  writer.encode(LbEndpointSchema, {
    hostIdentifier: { case: "endpoint", value: { address: addressOf(endpoint.address, endpoint.port) } },
    healthStatus: healthOf(endpoint),
    metadata: { filterMetadata: metadataOf(endpoint) },
    loadBalancingWeight: weightOf(endpoint),
  }),
);

const healths: Readonly<Record<EndpointHealth, HealthStatus>> = {
  healthy: HealthStatus.HEALTHY,
  unhealthy: HealthStatus.UNHEALTHY,
  draining: HealthStatus.DRAINING,
  terminating: HealthStatus.UNHEALTHY,
};

/** Endpoints without reported health have no health status: Envoy treats them as healthy. */
function healthOf(endpoint: Endpoint): HealthStatus {
  if (isDraining(endpoint)) return HealthStatus.DRAINING;
  return endpoint.health === undefined ? HealthStatus.UNKNOWN : healths[endpoint.health];
}

/** Terminating: gets no new requests. */
export function isDraining({ labels }: Endpoint): boolean {
  return (labels["istio.io/draining"] ?? "") !== "";
}

/** Envoy takes no weight of 0. */
export function weightOf({ weight }: Endpoint): number {
  return Math.max(1, weight);
}

function metadataOf(endpoint: Endpoint) {
  const istio = { workload: workloadOf(endpoint) };
  if (endpoint.tlsMode !== "istio") return { istio };
  return { "envoy.transport_socket_match": { tlsMode: "istio" }, istio };
}

/** The workload name for access logs and metrics. */
function workloadOf({ workloadName, namespace, labels, clusterId }: Endpoint): string {
  const name = first(labels, ["service.istio.io/canonical-name", "app.kubernetes.io/name", "app"]) ?? workloadName;
  const revision = first(labels, ["service.istio.io/canonical-revision", "app.kubernetes.io/version", "version"]);
  return [workloadName, namespace, name, revision === "latest" ? "" : (revision ?? ""), clusterId].join(";");
}

function first(labels: Labels, names: readonly string[]): string | undefined {
  return names.map((name) => labels[name]).find((value) => value !== undefined);
}
