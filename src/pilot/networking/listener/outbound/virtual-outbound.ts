import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../../model/resource.ts";
import type { SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import { addressOf } from "../../address.ts";
import { makeResource } from "../../make-resource.ts";
import { unmatchedLogs } from "../access-log.ts";
import { matchAll } from "../chain-match.ts";
import { encodeChain } from "../filter-chain.ts";
import { additionalAddresses } from "../listener-address.ts";
import { catchAllFilters, outboundLoopFilters } from "../tcp-proxy.ts";
import type { OutboundContext } from "./build-outbound-listener.ts";

const name = "virtualOutbound";

/**
 * The listener for all redirected outbound traffic. It hands a connection to the listener of the original destination,
 * else to the catch-all. Undefined where nothing is redirected.
 */
export function virtualOutbound(
  { owner }: SidecarScope,
  { client, mesh, policies, catchAll }: OutboundContext,
  writer: ProtoWriter,
): Resource | undefined {
  if (client.interception === "none") return undefined;
  const port = mesh.outboundPort;
  const catchesAll = catchAllFilters(catchAll, { client, mesh, policies }, writer);
  const any = writer.any(ListenerSchema, {
    name,
    address: addressOf(client.wildcard, port),
    filterChains: [
      // A connection to this port would loop forever.
      encodeChain(
        {
          name: `${name}-blackhole`,
          match: { ...matchAll, destinationPort: port },
          filters: outboundLoopFilters({ client, mesh, policies }, writer),
        },
        writer,
      ),
      encodeChain({ name: `${name}-catchall-tcp`, match: matchAll, filters: catchesAll }, writer),
    ],
    useOriginalDst: true,
    transparent: client.interception === "tproxy" ? true : undefined,
    trafficDirection: TrafficDirection.OUTBOUND,
    maxConnectionsToAcceptPerSocketEvent: 1,
    accessLog: unmatchedLogs({ direction: "outbound", mesh, policies }, writer),
    additionalAddresses: additionalAddresses(client.wildcard, port, client),
  });
  return makeResource({ name, any, owners: owner === undefined ? [] : [owner] });
}
