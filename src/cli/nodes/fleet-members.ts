import type { FleetMember } from "../../fleet/connected-proxy.ts";
import { type FleetShares, type PlannedProxy, planFleet } from "../../fleet/plan.ts";
import { type BootstrapNode, describeNode } from "./describe-node.ts";

/** The common and the individual properties of the members of a fleet. */
export interface FleetSketch {
  readonly proxies: number;
  readonly shares: FleetShares;
  /** Sidecars and gRPC clients are spread over these. */
  readonly namespaces: readonly string[];
  readonly routerLabels: Readonly<Record<string, string>>;
  readonly targets: readonly string[];
  readonly reconnectEveryMs: number;
  readonly domain: string;
  readonly clusterId: string;
}

/** The first version of Envoy that gets virtual hosts as resources. */
const envoyVersion = { majorNumber: 1, minorNumber: 40 };

/** Only delta proxies understand them. SotW proxies do not tell a version: they get everything anyway. */
function takesVirtualHosts({ kind, mode }: PlannedProxy): boolean {
  return kind !== "grpc" && mode === "delta";
}

/** Bytes that a slow proxy reads per second. */
const slowBytesPerSecond = 10_000;

/** Sidecar 7 is `fleet-7` with the address 10.240.0.7, so that a mesh can define workloads with these addresses. */
export function fleetMembers(sketch: FleetSketch): readonly FleetMember[] {
  return planFleet(sketch.proxies, sketch.shares).map((planned, index) => ({
    node: { ...nodeOf(planned, index, sketch), ...(takesVirtualHosts(planned) && { envoyVersion }) },
    mode: planned.mode,
    targets: planned.kind === "grpc" ? sketch.targets : undefined,
    rejects: planned.rejects,
    bytesPerSecond: planned.slow ? slowBytesPerSecond : undefined,
    reconnectEveryMs: planned.reconnects ? sketch.reconnectEveryMs : undefined,
  }));
}

function nodeOf({ kind }: PlannedProxy, index: number, sketch: FleetSketch): BootstrapNode {
  const { domain, clusterId, namespaces } = sketch;
  const namespace = kind === "router" ? "istio-system" : (namespaces[index % namespaces.length] ?? "default");
  const type = kind === "router" ? "router" : "sidecar";
  const ip = `10.${240 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  return describeNode({
    id: `${type}~${ip}~fleet-${index}.${namespace}~${namespace}.svc.${domain}`,
    domain,
    clusterId,
    labels: kind === "router" ? sketch.routerLabels : {},
    certificates: { type: "none" },
    metadata: kind === "grpc" ? { GENERATOR: "grpc" } : {},
  });
}
