import type { FleetResourceType } from "../../../../src/fleet/fleet-resource-type.ts";
import type { PooledResource } from "../../../../src/fleet/resource-pool.ts";
import { routesOfHost } from "../../../../src/xds/virtual-hosts/host-name.ts";
import type { ResourceMarks } from "./resource-marks.ts";

/** A route configuration with its virtual hosts, wherever they arrived. */
export interface MergedRoutes {
  /** The generations that it and its virtual hosts name. */
  readonly generations: ReadonlySet<number>;
  /** The hash of each virtual host, by the name that it has as a resource. */
  readonly hosts: ReadonlyMap<string, bigint>;
}

/**
 * The route configurations that a client uses, by name. Those that came as shells have the virtual hosts that came as
 * resources. Virtual hosts without a shell count for nothing: Envoy does not use them.
 */
export function mergedRoutes(
  held: (type: FleetResourceType) => ReadonlyMap<string, PooledResource>,
  marksOf: (resource: PooledResource) => ResourceMarks,
): ReadonlyMap<string, MergedRoutes> {
  const apart = Map.groupBy(held("VHDS").values(), ({ name }) => routesOfHost(name));
  return new Map(
    Array.from(held("RDS").values(), (routes) => {
      const parts = [routes, ...(routes.awaitsHosts === true ? (apart.get(routes.name) ?? []) : [])].map(marksOf);
      const generations = new Set(parts.flatMap((part) => [...part.generations]));
      return [routes.name, { generations, hosts: new Map(parts.flatMap((part) => [...part.hosts])) }] as const;
    }),
  );
}
