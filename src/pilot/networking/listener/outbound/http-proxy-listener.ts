import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { zeroDuration } from "../../../model/duration.ts";
import type { Resource } from "../../../model/resource.ts";
import { addressOf } from "../../address.ts";
import { makeResource } from "../../make-resource.ts";
import { matchAll } from "../chain-match.ts";
import { encodeChain } from "../filter-chain.ts";
import { connectionManager } from "../http/http-connection-manager.ts";
import { additionalAddresses, listenerName } from "../listener-address.ts";
import type { OutboundContext } from "./build-outbound-listener.ts";
import type { OutboundClient } from "./outbound-client.ts";

/**
 * An explicit HTTP proxy on loopback, for applications that are configured to use one. Undefined where there is none.
 */
export function httpProxyListener(
  client: OutboundClient,
  { mesh, policies }: Pick<OutboundContext, "mesh" | "policies">,
  writer: ProtoWriter,
): Resource | undefined {
  const { localhost, httpProxyPort } = client;
  if (httpProxyPort === 0) return undefined;
  const name = listenerName(localhost, httpProxyPort);
  const manager = connectionManager(
    {
      direction: "outbound",
      statPrefix: `outbound_${name};`,
      routes: "http_proxy",
      protocol: "HTTP_PROXY",
      client,
      mesh,
      policies,
      allowAbsoluteUrl: true,
    },
    writer,
  );
  const any = writer.any(ListenerSchema, {
    name,
    address: addressOf(localhost, httpProxyPort),
    filterChains: [encodeChain({ name: "", match: matchAll, filters: [manager], limitsHandshake: true }, writer)],
    listenerFiltersTimeout: zeroDuration,
    continueOnListenerFiltersTimeout: true,
    trafficDirection: TrafficDirection.OUTBOUND,
    maxConnectionsToAcceptPerSocketEvent: 1,
    additionalAddresses: additionalAddresses(localhost, httpProxyPort, client),
  });
  return makeResource({ name, any, owners: [] });
}
