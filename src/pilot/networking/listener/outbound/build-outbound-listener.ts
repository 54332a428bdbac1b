import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { FilterChainSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { zeroDuration } from "../../../model/duration.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { policiesAt } from "../../../model/policy/extension-order.ts";
import { ownersOf, type TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import type { Resource } from "../../../model/resource.ts";
import { addressOf } from "../../address.ts";
import { makeResource } from "../../make-resource.ts";
import { matchesAll, withMatchableNames, withoutOverlaps } from "../chain-match.ts";
import { limitsFor } from "../http/request-limits.ts";
import { additionalAddresses } from "../listener-address.ts";
import type { ListenerClient } from "../listener-client.ts";
import { exactBalance, listenerFilter } from "../listener-filters.ts";
import { type CatchAllSettings, catchAllFilters } from "../tcp-proxy.ts";
import { encodeOutboundChain } from "./encode-outbound-chain.ts";
import type { OutboundListener } from "./merge-candidates.ts";

/** All inputs of an outbound listener, beside itself. */
export interface OutboundContext {
  readonly client: ListenerClient;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
  /** The destination of connections that match no chain. */
  readonly catchAll: string;
}

export function buildOutboundListener(
  listener: OutboundListener,
  context: OutboundContext,
  writer: ProtoWriter,
): Resource {
  const { client, mesh } = context;
  const { name, bind, port, bound, chains, owners } = listener;
  const policies = policiesAt(context.policies, { mode: "client", port });
  const encoded = withoutOverlaps(withMatchableNames(chains)).map((chain) => ({
    bytes: encodeOutboundChain(chain, name, { client, mesh, policies }, writer),
    all: matchesAll(chain.match),
  }));
  const particular = encoded.filter(({ all }) => !all).map(({ bytes }) => bytes);
  const general = encoded.find(({ all }) => all)?.bytes;
  const alone = general !== undefined && particular.length === 0;
  const sniffsHttp = chains.some(({ match }) => match.applicationProtocols.length > 0);
  const sniffsTls = chains.some(({ match }) => match.serverNames.length > 0);
  const any = writer.any(ListenerSchema, {
    name,
    address: addressOf(bind, port),
    filterChains: alone ? [general] : particular,
    // Envoy checks conditions one by one. A connection that fails a later condition would match no chain.
    defaultFilterChain: alone ? undefined : (general ?? fallThrough(context, writer)),
    listenerFilters: [
      ...(sniffsTls ? [listenerFilter("tls_inspector", writer)] : []),
      ...(sniffsHttp ? [listenerFilter("http_inspector", writer)] : []),
    ],
    listenerFiltersTimeout: sniffsHttp ? mesh.protocolDetectionTimeout : zeroDuration,
    continueOnListenerFiltersTimeout: true,
    perConnectionBufferLimitBytes: limitsFor("outbound", client.settings).bufferBytes,
    trafficDirection: TrafficDirection.OUTBOUND,
    maxConnectionsToAcceptPerSocketEvent: bound ? 1 : undefined,
    bindToPort: bound ? undefined : false,
    connectionBalanceConfig: client.settings.balances.outbound ? exactBalance : undefined,
    additionalAddresses: additionalAddresses(bind, port, client),
  });
  return makeResource({ name, any, owners: [...owners, ...ownersOf(policies)] });
}

function fallThrough({ client, mesh, policies, catchAll }: OutboundContext, writer: ProtoWriter): Uint8Array {
  const { capabilities, settings } = client;
  return encodeFallThrough([mesh, policies, writer], { catchAll, capabilities, idleTimeoutMs: settings.idleTimeoutMs });
}

const encodeFallThrough = memoize(
  (
    [mesh, policies, writer]: readonly [MeshSettings, TrafficPolicies, ProtoWriter],
    { catchAll, capabilities, ...settings }: CatchAllSettings & { readonly catchAll: string },
  ): Uint8Array =>
    writer.encode(FilterChainSchema, {
      filterChainMatch: {},
      filters: catchAllFilters(catchAll, { client: { capabilities, settings }, mesh, policies }, writer),
      name: "PassthroughFilterChain",
    }),
);
