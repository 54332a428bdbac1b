import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../../model/conflict.ts";
import type { Labels } from "../../../model/labels.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { RouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { Resource } from "../../../model/resource.ts";
import type { SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import type { HashLookup } from "../../../model/traffic/applied-hash.ts";
import { buildRouteConfiguration } from "../build-route-configuration.ts";
import { encodeVirtualHost } from "../virtual-host.ts";
import { catchAllHost } from "./catch-all.ts";
import { onlyHost, type SidecarHost, sidecarHosts } from "./sidecar-hosts.ts";
import type { SidecarRoute } from "./sidecar-route.ts";

/** All that a route configuration of a sidecar depends on. */
export interface SidecarRouteInputs {
  readonly route: SidecarRoute;
  readonly scope: SidecarScope;
  /** Of the proxies that ask. */
  readonly labels: Labels;
  readonly dnsDomain: string;
  /** False for proxies that applications call by the ports they bind. */
  readonly redirected: boolean;
  readonly mesh: MeshSettings;
  readonly settings: RouteSettings;
  readonly hashes: HashLookup;
}

/** The route configuration that a sidecar's listeners refer to by this name. */
export function buildSidecarRoutes(inputs: SidecarRouteInputs, writer: ProtoWriter): Resource {
  const { route, scope, redirected, settings } = inputs;
  const hosts = hostsOf(inputs, writer);
  const virtualHosts = hosts.map((host) => encodeVirtualHost(host, writer));
  if (route.hostname === undefined) virtualHosts.push(catchAllHost(scope.outboundPolicy, redirected, settings, writer));
  return buildRouteConfiguration(
    {
      name: route.name,
      virtualHosts,
      // Where all ports share a listener, domains name them.
      ignorePort: route.port !== 0,
      owners: hosts.flatMap(({ owners }) => owners),
    },
    writer,
  );
}

/** Who of the hosts' owners does not get what it asks for in this route configuration. */
export function sidecarConflicts(inputs: SidecarRouteInputs, writer: ProtoWriter): readonly Conflict[] {
  const listener = listenerOf(inputs);
  // Where a service has a listener for itself, nobody else asks for anything.
  return listener === undefined || inputs.route.hostname !== undefined ? [] : sidecarHosts(listener, writer).conflicts;
}

function hostsOf(inputs: SidecarRouteInputs, writer: ProtoWriter): readonly SidecarHost[] {
  const { hostname } = inputs.route;
  const listener = listenerOf(inputs);
  if (listener === undefined) return [];
  return hostname === undefined ? sidecarHosts(listener, writer).hosts : onlyHost(listener, hostname, writer);
}

function listenerOf({ route, scope, labels, dnsDomain, mesh, settings, hashes }: SidecarRouteInputs) {
  const { egress, port } = route;
  return egress && { egress, port, namespace: scope.namespace, labels, dnsDomain, mesh, settings, hashes };
}
