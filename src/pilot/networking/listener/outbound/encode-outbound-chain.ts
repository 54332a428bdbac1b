import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import type { Service } from "../../../model/service/service.ts";
import { configPath } from "../../config-path.ts";
import { bytesChainFilters, httpChainFilters } from "../chain-filters.ts";
import { encodeChain } from "../filter-chain.ts";
import type { ListenerClient } from "../listener-client.ts";
import type { TcpSettings } from "../tcp-proxy.ts";
import type { HttpChain, OutboundChain, TcpChain } from "./outbound-chain.ts";

interface Context {
  readonly client: ListenerClient;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** An encoded chain, remembered for as long as the objects it was made of. Chains of bytes are the same for everyone. */
export function encodeOutboundChain(
  chain: OutboundChain,
  listener: string,
  { client, mesh, policies }: Context,
  writer: ProtoWriter,
): Uint8Array {
  const { match, action, service } = chain;
  const { identity, capabilities, settings } = client;
  if (action.type === "http") {
    const facts = { listener, match, action, identity, capabilities, settings };
    return encodeHttpChain([service, mesh, policies, writer], facts);
  }
  const { rule, virtualService, ...target } = action;
  const { idleTimeoutMs } = settings;
  return encodeBytesChain([service, rule, virtualService, mesh, policies, writer], {
    match,
    target,
    capabilities,
    idleTimeoutMs,
  });
}

interface HttpFacts extends Pick<ListenerClient, "identity" | "capabilities" | "settings"> {
  readonly listener: string;
  readonly match: OutboundChain["match"];
  readonly action: HttpChain;
}

const encodeHttpChain = memoize(
  (
    [, mesh, policies, writer]: readonly [Service, MeshSettings, TrafficPolicies, ProtoWriter],
    { listener, match, action: { routes, protocol }, ...client }: HttpFacts,
  ): Uint8Array => {
    const statPrefix = `outbound_${listener};`;
    const inputs = { direction: "outbound", statPrefix, routes, protocol, client, mesh, policies } as const;
    const filters = httpChainFilters(inputs, writer);
    return encodeChain({ name: "", match, filters, limitsHandshake: true }, writer);
  },
);

interface BytesFacts extends Pick<ListenerClient, "capabilities">, TcpSettings {
  readonly match: OutboundChain["match"];
  readonly target: Omit<TcpChain, "rule" | "virtualService">;
}

type BytesHeld = readonly [
  Service,
  TcpChain["rule"],
  TcpChain["virtualService"],
  MeshSettings,
  TrafficPolicies,
  ProtoWriter,
];

const encodeBytesChain = memoize(
  (
    [, rule, virtualService, mesh, policies, writer]: BytesHeld,
    { match, target, capabilities, ...settings }: BytesFacts,
  ): Uint8Array => {
    const config = virtualService && configPath("virtual-service", virtualService.namespace, virtualService.name);
    const { protocol } = target;
    const client = { capabilities, settings };
    const filters = bytesChainFilters(
      { direction: "outbound", protocol, target: { ...target, rule }, client, mesh, policies },
      writer,
    );
    return encodeChain({ name: "", match, filters, limitsHandshake: true, config }, writer);
  },
);
