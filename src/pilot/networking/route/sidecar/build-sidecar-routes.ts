import type { Labels } from "../../../../config/config.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../../model/conflict.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { AddressFamilies } from "../../../model/proxy/address-families.ts";
import type { RouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { Resource } from "../../../model/resource.ts";
import type { SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import type { HashLookup } from "../../../model/traffic/applied-hash.ts";
import { buildRouteConfiguration } from "../build-route-configuration.ts";
import { catchAllHost } from "./catch-all.ts";
import { type EncodedHosts, encodedHosts } from "./made-hosts.ts";
import { onlyHost, sidecarHosts } from "./sidecar-hosts.ts";
import type { SidecarRoute } from "./sidecar-route.ts";

/** All inputs of a route configuration of a sidecar. */
export interface SidecarRouteInputs {
  readonly route: SidecarRoute;
  readonly scope: SidecarScope;
  /** Of the proxies that ask. */
  readonly labels: Labels;
  readonly dnsDomain: string;
  readonly families: AddressFamilies;
  /** False for proxies without interception. */
  readonly redirected: boolean;
  readonly mesh: MeshSettings;
  readonly settings: RouteSettings;
  readonly hashes: HashLookup;
}

/** The route configuration that a sidecar's listeners refer to by this name. */
export function buildSidecarRoutes(inputs: SidecarRouteInputs, writer: ProtoWriter): Resource {
  const { route, scope, redirected, settings } = inputs;
  const { bytes, owners, hostOwners } = hostsOf(inputs, writer);
  const last = route.hostname === undefined ? [catchAllHost(scope.outboundPolicy, redirected, settings, writer)] : [];
  const { name, ignoresPort: ignorePort } = route;
  return buildRouteConfiguration({ name, virtualHosts: [...bytes, ...last], ignorePort, owners, hostOwners }, writer);
}

/** The conflicts between owners of hosts in this route configuration. */
export function sidecarConflicts(inputs: SidecarRouteInputs, writer: ProtoWriter): readonly Conflict[] {
  const listener = listenerOf(inputs);
  // A service with its own listener has no conflicts there.
  return listener === undefined || inputs.route.hostname !== undefined ? [] : sidecarHosts(listener, writer).conflicts;
}

function hostsOf(inputs: SidecarRouteInputs, writer: ProtoWriter): EncodedHosts {
  const { hostname } = inputs.route;
  const listener = listenerOf(inputs);
  if (listener === undefined) return encodedHosts([]);
  return hostname === undefined
    ? sidecarHosts(listener, writer).encoded
    : encodedHosts(onlyHost(listener, hostname, writer));
}

function listenerOf({ route, scope, labels, dnsDomain, families, mesh, settings, hashes }: SidecarRouteInputs) {
  const { egress, port, ignoresPort } = route;
  const { namespace } = scope;
  return egress && { egress, port, ignoresPort, namespace, labels, dnsDomain, families, mesh, settings, hashes };
}
