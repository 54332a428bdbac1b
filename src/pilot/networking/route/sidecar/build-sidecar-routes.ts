import type { ProtoWriter } from "../../../../lib/proto-writer.ts";
import type { HashLookup } from "../../../model/applied-hash.ts";
import type { Labels } from "../../../model/labels.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { Resource } from "../../../model/resource.ts";
import type { SidecarScope } from "../../../model/sidecar-scope.ts";
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
  readonly hashes: HashLookup;
}

export function buildSidecarRoutes(inputs: SidecarRouteInputs, writer: ProtoWriter): Resource {
  const { route, scope, redirected } = inputs;
  const hosts = hostsOf(inputs, writer);
  const virtualHosts = hosts.map((host) => encodeVirtualHost(host, writer));
  if (route.hostname === undefined) virtualHosts.push(catchAllHost(scope.outboundPolicy, redirected, writer));
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

function hostsOf(
  { route, scope, labels, dnsDomain, mesh, hashes }: SidecarRouteInputs,
  writer: ProtoWriter,
): readonly SidecarHost[] {
  const { egress, port, hostname } = route;
  if (egress === undefined) return [];
  const inputs = { egress, port, namespace: scope.namespace, labels, dnsDomain, mesh, hashes };
  return hostname === undefined ? sidecarHosts(inputs, writer) : onlyHost(inputs, hostname, writer);
}
