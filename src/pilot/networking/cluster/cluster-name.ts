import type { Port, Service } from "../../model/service/service.ts";
import type { Subset } from "../../model/traffic/destination-rule.ts";

/** `outbound|port|subset|hostname`: the name of a cluster and of its endpoints. */
export function clusterName(port: number, subset: string, hostname: string): string {
  return `outbound|${port}|${subset}|${hostname}`;
}

/** The parts of a cluster name `outbound|port|subset|hostname`. */
export interface ClusterReference {
  readonly port: number;
  readonly subset: string;
  readonly hostname: string;
}

const reference = /^outbound\|(\d+)\|([^|]*)\|([^|]+)$/u;

/** The inverse of `clusterName`; undefined for other names. */
export function parseClusterName(name: string): ClusterReference | undefined {
  const [, port, subset, hostname] = reference.exec(name) ?? [];
  if (port === undefined || subset === undefined || hostname === undefined) return undefined;
  return { port: Number(port), subset, hostname };
}

/** The cluster for blocked traffic. */
export const blackHoleCluster = "BlackHoleCluster";

/** Clusters for unregistered traffic: outbound and inbound. */
export const passthroughCluster = "PassthroughCluster";
export const inboundPassthroughCluster = "InboundPassthroughCluster";

/** The cluster behind a port of the proxy's own workload. */
export function inboundClusterName(port: number): string {
  return `inbound|${port}||`;
}

/** The SNI of mesh mTLS. Gateways between networks route by it. */
export function sniName(port: number, subset: string, hostname: string): string {
  return `outbound_.${port}_.${subset}_.${hostname}`;
}

/** The name of a service's cluster. For SNI-DNAT it is the SNI of the mesh's mTLS connections. */
export function serviceClusterName(
  { hostname }: Pick<Service, "hostname">,
  { number }: Pick<Port, "number">,
  subset: Pick<Subset, "name"> | undefined,
  sniDnat: boolean,
): string {
  return (sniDnat ? sniName : clusterName)(number, subset?.name ?? "", hostname);
}
