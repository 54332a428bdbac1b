import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { ConfigId } from "../../../../config/config.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import type { Resource } from "../../../model/resource.ts";
import { addressOf } from "../../address.ts";
import { providerOwners } from "../../authentication/jwt.ts";
import { makeResource } from "../../make-resource.ts";
import { unmatchedLogs } from "../access-log.ts";
import { limitsFor } from "../http/request-limits.ts";
import { additionalAddresses } from "../listener-address.ts";
import { exactBalance, listenerFilter } from "../listener-filters.ts";
import type { InboundChain } from "./inbound-chains.ts";
import type { InboundClient } from "./inbound-client.ts";
import { inspectorsFor } from "./inspectors.ts";

/** One inbound listener. */
export interface InboundListener {
  readonly name: string;
  readonly bind: string;
  readonly port: number;
  /** The proxy binds its address, instead of receiving redirected connections. */
  readonly bound: boolean;
  /** In order; a list per port. */
  readonly chains: readonly (readonly InboundChain[])[];
  readonly owners: readonly ConfigId[];
}

/** The facts of a client that an inbound listener depends on, beside its chains. */
export type InboundListenerClient = Pick<InboundClient, "interception" | "wildcard" | "localhost" | "settings">;

interface InboundListenerInputs {
  readonly client: InboundListenerClient;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

export function buildInboundListener(
  listener: InboundListener,
  { client, mesh, policies }: InboundListenerInputs,
  writer: ProtoWriter,
): Resource {
  const { name, bind, port, bound, owners } = listener;
  const chains = listener.chains.flat();
  const transparent = !bound && client.interception === "tproxy";
  const any = writer.any(ListenerSchema, {
    name,
    address: addressOf(bind, port),
    filterChains: chains.map(({ bytes }) => bytes),
    listenerFilters: [
      ...(bound ? [] : [listenerFilter("original_dst", writer)]),
      ...(transparent ? [listenerFilter("original_src", writer)] : []),
      ...inspectorsFor(
        chains.map(({ match }) => match),
        writer,
      ),
    ],
    listenerFiltersTimeout: mesh.protocolDetectionTimeout,
    continueOnListenerFiltersTimeout: true,
    transparent: transparent ? true : undefined,
    perConnectionBufferLimitBytes: limitsFor("inbound", client.settings).bufferBytes,
    trafficDirection: TrafficDirection.INBOUND,
    maxConnectionsToAcceptPerSocketEvent: 1,
    accessLog: unmatchedLogs({ direction: "inbound", mesh, policies }, writer),
    connectionBalanceConfig: client.settings.balances.inbound ? exactBalance : undefined,
    additionalAddresses: additionalAddresses(bind, port, client),
  });
  return makeResource({ name, any, owners, partOwners: providerOwners({ direction: "inbound", policies }) });
}
