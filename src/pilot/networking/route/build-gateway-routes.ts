import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import { httpRouteName } from "../../model/merged-gateway.ts";
import type { Resource } from "../../model/resource.ts";
import { blackhole, buildRouteConfiguration } from "./build-route-configuration.ts";
import { collapseHosts } from "./collapse-hosts.ts";
import type { GatewayRouteInputs } from "./gateway-hosts.ts";
import { gatewayHosts } from "./gateway-hosts.ts";
import { encodeVirtualHost } from "./virtual-host.ts";

/** Undefined for ports without a route configuration. */
export function buildGatewayRoutes(inputs: GatewayRouteInputs, writer: ProtoWriter): Resource | undefined {
  const { port } = inputs;
  const name = httpRouteName(port);
  if (name === undefined) return undefined;
  const { drafts, owners } = gatewayHosts(inputs, writer);
  const hosts = collapseHosts(drafts).map((host) => encodeVirtualHost(host, writer));
  return buildRouteConfiguration(
    {
      name,
      virtualHosts: hosts.length === 0 ? [blackhole(port.port, writer)] : hosts,
      ignorePort: true,
      owners: [...port.servers.map(({ gateway }) => gateway.owner), ...owners],
    },
    writer,
  );
}
