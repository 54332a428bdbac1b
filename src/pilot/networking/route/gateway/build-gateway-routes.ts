import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../../model/resource.ts";
import { blackhole, buildRouteConfiguration } from "../build-route-configuration.ts";
import { encodeVirtualHost } from "../virtual-host.ts";
import { collapseHosts } from "./collapse-hosts.ts";
import type { GatewayRouteInputs } from "./gateway-hosts.ts";
import { gatewayHosts, listenPort } from "./gateway-hosts.ts";

/** The route configuration of a gateway's port, or of one of its HTTPS servers. */
export function buildGatewayRoutes(inputs: GatewayRouteInputs, writer: ProtoWriter): Resource {
  const { table } = inputs;
  const { drafts, owners } = gatewayHosts(inputs, writer);
  const collapsed = collapseHosts(drafts, inputs.settings);
  const hosts = collapsed.map((host) => encodeVirtualHost(host, writer));
  return buildRouteConfiguration(
    {
      name: table.name,
      virtualHosts: hosts.length === 0 ? [blackhole(listenPort(table), writer)] : hosts,
      ignorePort: true,
      owners: [...table.servers.map(({ gateway }) => gateway.owner), ...owners],
      hostOwners: new Map(collapsed.map((host) => [host.name, host.owners])),
    },
    writer,
  );
}
