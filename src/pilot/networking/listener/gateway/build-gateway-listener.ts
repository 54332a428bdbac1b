import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MergedPort } from "../../../model/gateway/merged-gateway.ts";
import { policiesAt } from "../../../model/policy/extension-order.ts";
import { ownersOf, type TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import type { Resource } from "../../../model/resource.ts";
import { addressOf } from "../../address.ts";
import { providerOwners } from "../../authentication/jwt.ts";
import { makeResource } from "../../make-resource.ts";
import { unmatchedLogs } from "../access-log.ts";
import { withMatchableNames } from "../chain-match.ts";
import { limitsFor } from "../http/request-limits.ts";
import { additionalAddresses } from "../listener-address.ts";
import { exactBalance, listenerFilter } from "../listener-filters.ts";
import { encodeGatewayChain } from "./encode-gateway-chain.ts";
import type { GatewayContext } from "./gateway-chain.ts";
import type { GatewayClient } from "./gateway-client.ts";
import { planGateway } from "./plan-gateway.ts";

/** All inputs of a gateway's listener. */
export interface GatewayListenerInputs extends GatewayContext {
  readonly port: MergedPort;
  readonly client: GatewayClient;
  readonly policies: TrafficPolicies;
}

/** Undefined without filter chains: a TCP server without a virtual service. */
export function buildGatewayListener(inputs: GatewayListenerInputs, writer: ProtoWriter): Resource | undefined {
  const {
    client,
    push: { mesh },
  } = inputs;
  const { name, bind, port, chains, owners } = planGateway(inputs.port, client, inputs);
  const policies = policiesAt(inputs.policies, { mode: "client", port });
  const context = { listener: name, client, mesh, policies };
  const filterChains = withMatchableNames(chains).flatMap((chain) => encodeGatewayChain(chain, context, writer) ?? []);
  if (filterChains.length === 0) return undefined;
  const inspectsTls = chains.some((chain) => chain.inspectsTls);
  const any = writer.any(ListenerSchema, {
    name,
    address: addressOf(bind, port),
    filterChains,
    listenerFilters: [
      // The PROXY protocol header comes before everything else, even before TLS.
      ...(client.settings.proxy.topology.proxyProtocol ? [listenerFilter("proxy_protocol", writer)] : []),
      ...(inspectsTls ? [listenerFilter("tls_inspector", writer)] : []),
    ],
    perConnectionBufferLimitBytes: limitsFor("gateway", client.settings).bufferBytes,
    trafficDirection: TrafficDirection.OUTBOUND,
    maxConnectionsToAcceptPerSocketEvent: 1,
    accessLog: unmatchedLogs({ direction: "gateway", mesh, policies }, writer),
    connectionBalanceConfig: client.settings.balances.outbound ? exactBalance : undefined,
    additionalAddresses: additionalAddresses(bind, port, client),
  });
  const partOwners = providerOwners({ direction: "gateway", policies });
  return makeResource({ name, any, owners: [...owners, ...ownersOf(policies)], partOwners });
}
