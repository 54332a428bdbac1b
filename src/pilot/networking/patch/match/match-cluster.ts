import type { ClusterMatch } from "../../../model/policy/envoy-patch.ts";

/** A cluster, as far as patches can match it. */
export interface ClusterIdentity {
  readonly name: string;
  /** The hostnames that a patch may name: for an inbound cluster those of all services behind it. */
  readonly hostnames: readonly string[];
  readonly subset: string;
  readonly port: number;
}

/** The name says everything, except the services behind an inbound cluster. */
export function clusterIdentity(name: string, served: readonly string[] = []): ClusterIdentity {
  const { port, subset, hostname } = partsOf(name);
  return { name, port, subset, hostnames: served.length > 0 ? served : [hostname] };
}

/** Whether a patch is for this cluster. A name decides alone. */
export function matchesCluster(match: ClusterMatch | undefined, cluster: ClusterIdentity): boolean {
  if (match === undefined) return true;
  if (match.name !== "") return match.name === cluster.name;
  return (
    (match.subset === "" || match.subset === cluster.subset) &&
    (match.service === "" || cluster.hostnames.includes(match.service)) &&
    (match.port === 0 || match.port === cluster.port)
  );
}

/** `direction|port|subset|hostname`, or the same with `_.` for SNI. Parts that a name lacks are empty. */
export function partsOf(name: string): { readonly port: number; readonly subset: string; readonly hostname: string } {
  const separator = /^(?:in|out)bound_\./u.test(name) ? "_." : "|";
  const [, port, subset, hostname, ...rest] = name.split(separator);
  const isWhole = hostname !== undefined && rest.length === 0;
  return { port: Number(port ?? 0) || 0, subset: subset ?? "", hostname: isWhole ? hostname : "" };
}
