import type { ClusterMatch } from "../../../model/policy/envoy-patch.ts";

/** A cluster, as far as patches can match it. */
export interface ClusterIdentity {
  readonly name: string;
  /** The hostnames of all services behind an inbound cluster; undefined for the other clusters. */
  readonly hostnames: readonly string[] | undefined;
}

/** Whether a patch is for this cluster. A name decides alone. */
export function matchesCluster(match: ClusterMatch | undefined, { name, hostnames }: ClusterIdentity): boolean {
  if (match === undefined) return true;
  if (match.name !== "") return match.name === name;
  const named = partsOf(name);
  const served = hostnames !== undefined && hostnames.length > 0 ? hostnames : [named.hostname];
  return (
    (match.subset === "" || match.subset === named.subset) &&
    (match.service === "" || served.includes(match.service)) &&
    (match.port === 0 || match.port === named.port)
  );
}

/** `direction|port|subset|hostname`, or the same with `_.` for SNI; every part is empty for other names. */
export function partsOf(name: string): { readonly port: number; readonly subset: string; readonly hostname: string } {
  const separator = /^(?:in|out)bound_\./u.test(name) ? "_." : "|";
  const [, port, subset, hostname, ...rest] = name.split(separator);
  const isWhole = hostname !== undefined && rest.length === 0;
  return { port: Number(port ?? 0) || 0, subset: subset ?? "", hostname: isWhole ? hostname : "" };
}
