import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { ServerTls } from "../../../model/gateway/gateway.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { MtlsMode } from "../../../model/mtls/peer-authentication.ts";
import { policiesAt } from "../../../model/policy/extension-order.ts";
import { portPolicies } from "../../../model/policy/port-policies.ts";
import type { TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import type { FilterCapabilities } from "../../../model/proxy/capabilities.ts";
import type { Protocol } from "../../../model/service/service.ts";
import { inboundClusterName, inboundPassthroughCluster } from "../../cluster/cluster-name.ts";
import { networkFiltersFor } from "../../filters.ts";
import { meshServerSocket } from "../../secret/mesh-server-socket.ts";
import { serverSocket } from "../../secret/server-socket.ts";
import { bytesChainFilters, httpChainFilters } from "../chain-filters.ts";
import { type ChainMatch, matchAll, plainHttpOf } from "../chain-match.ts";
import { encodeChain } from "../filter-chain.ts";
import { listenerName } from "../listener-address.ts";
import { blackHoleFilters } from "../tcp-proxy.ts";
import type { InboundClient } from "./inbound-client.ts";
import type { InboundPort } from "./inbound-ports.ts";
import { inboundRoute } from "./inbound-route.ts";
import { type InboundRule, inboundRules } from "./inbound-rules.ts";

/** An encoded chain and its match. The match decides which inspectors the listener needs. */
export interface InboundChain {
  readonly match: ChainMatch;
  readonly bytes: Uint8Array;
}

/** The target of inbound chains: a port of the workload, or all ports without a service. */
interface InboundTarget {
  /** 0 for every port. */
  readonly port: number;
  readonly protocol: Protocol;
  readonly cluster: string;
  readonly hostname: string;
  readonly servicePort: number;
  readonly statPrefix: string;
  readonly names: Readonly<Record<InboundRule["carries"], string>>;
  readonly config: string | undefined;
  readonly tls: ServerTls | undefined;
}

/** The proxy and the workload of the chains. */
export interface InboundListenerContext {
  readonly client: InboundClient;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** The facts of a client that its chains depend on. Workloads that differ only in their addresses share chains. */
type ChainClient = Pick<InboundClient, "certificates" | "identity" | "capabilities" | "settings">;

interface InboundChainContext {
  readonly client: ChainClient;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

function chainClientOf({ certificates, identity, capabilities, settings }: InboundClient): ChainClient {
  return { certificates, identity, capabilities, settings };
}

const passthrough: InboundTarget = {
  port: 0,
  protocol: "auto",
  cluster: inboundPassthroughCluster,
  hostname: "",
  servicePort: 0,
  statPrefix: `${inboundPassthroughCluster};`,
  names: { http: "virtualInbound-catchall-http", tcp: "virtualInbound" },
  config: undefined,
  tls: undefined,
};

/** The chains of a port, by protocol and mTLS mode. */
export function portChains(
  port: InboundPort,
  mode: MtlsMode,
  context: InboundListenerContext,
  writer: ProtoWriter,
): readonly InboundChain[] {
  const { client, mesh } = context;
  const policies = policiesAt(context.policies, { mode: "server", port: port.number });
  const facts = { target: targetOf(port), mode, client: chainClientOf(client) };
  return encodeChains([port.source, mesh, portPolicies(policies, port.services), writer], facts);
}

/** The chains for a port without a service; 0 for all such ports. */
export function passthroughChains(
  port: number,
  mode: MtlsMode,
  context: InboundListenerContext,
  writer: ProtoWriter,
): readonly InboundChain[] {
  const { client, mesh } = context;
  const policies = policiesAt(context.policies, { mode: "server", port });
  const target = { ...passthrough, port };
  const facts = { target, mode, client: chainClientOf(client) };
  return encodeChains([undefined, mesh, portPolicies(policies, []), writer], facts);
}

/** For connections to the port of the virtual inbound listener: they would loop forever. */
export function blackHoleChains(
  { client, mesh, policies }: InboundListenerContext,
  writer: ProtoWriter,
): readonly InboundChain[] {
  return encodeBlackHole([mesh, policies, writer], client.capabilities);
}

const encodeBlackHole = memoize(
  (
    [mesh, policies, writer]: readonly [MeshSettings, TrafficPolicies, ProtoWriter],
    capabilities: FilterCapabilities,
  ): readonly InboundChain[] => {
    const match = { ...matchAll, destinationPort: mesh.inboundPort };
    const context = { direction: "inbound", carries: "nothing", capabilities, mesh, policies } as const;
    const filters = [...networkFiltersFor(context, writer), ...blackHoleFilters(writer)];
    return [{ match, bytes: encodeChain({ name: "virtualInbound-blackhole", match, filters }, writer) }];
  },
);

function targetOf({ number, protocol, bind, hostname, servicePort, config, tls }: InboundPort): InboundTarget {
  const name = listenerName(bind, number);
  const cluster = inboundClusterName(number);
  const names = { http: name, tcp: name };
  return { port: number, protocol, cluster, hostname, servicePort, statPrefix: `inbound_${name};`, names, config, tls };
}

interface ChainFacts {
  readonly target: InboundTarget;
  readonly mode: MtlsMode;
  readonly client: ChainClient;
}

type ChainHeld = readonly [InboundPort["source"] | undefined, MeshSettings, TrafficPolicies, ProtoWriter];

const encodeChains = memoize(([, mesh, policies, writer]: ChainHeld, facts: ChainFacts): readonly InboundChain[] => {
  const { target, mode, client } = facts;
  const around = { client, mesh, policies };
  const { certificates, capabilities } = client;
  const own = mode === "disable" && target.tls !== undefined ? ownSocket(target.tls, around, writer) : undefined;
  const rules = rulesOf(target, mode, around);
  // Chains of one port differ only in their match, so their filters are encoded once.
  const filtersFor = {
    http: rules.some(({ carries }) => carries === "http") ? requestFilters(target, around, writer) : [],
    tcp: rules.some(({ carries }) => carries === "tcp") ? bytesFilters(target, around, writer) : [],
  };
  return rules.flatMap(({ carries, transportProtocol, applicationProtocols, terminates }) => {
    const match = { ...matchAll, destinationPort: target.port, transportProtocol, applicationProtocols };
    const meshTls = { certificates, mesh, capabilities, protocol: carries };
    const transportSocket = terminates ? (own ?? meshServerSocket(meshTls, writer)) : undefined;
    // Plain text instead of TLS would be less safe.
    if (terminates && transportSocket === undefined) return [];
    const chain = {
      name: target.names[carries],
      match,
      filters: filtersFor[carries],
      transportSocket,
      config: target.config,
    };
    return [{ match, bytes: encodeChain(chain, writer) }];
  });
});

/** TLS that a Sidecar configures. The port accepts nothing else. */
function rulesOf({ tls, protocol }: InboundTarget, mode: MtlsMode, { client }: InboundChainContext) {
  if (mode !== "disable" || tls === undefined) return inboundRules(protocol, mode, plainHttpOf(client.settings));
  const carries = protocol === "HTTPS" ? "http" : "tcp";
  return [{ carries, transportProtocol: "tls", terminates: true, applicationProtocols: [] }] as const;
}

function ownSocket(tls: ServerTls, { client, mesh }: InboundChainContext, writer: ProtoWriter): Uint8Array | undefined {
  const around = { certificates: client.certificates, defaults: mesh.tlsDefaults, exchangesMetadata: false };
  return serverSocket(tls, around, writer);
}

function requestFilters(target: InboundTarget, around: InboundChainContext, writer: ProtoWriter) {
  const { protocol, statPrefix } = target;
  const routes = inboundRoute(target, writer);
  return httpChainFilters({ direction: "inbound", statPrefix, routes, protocol, ...around }, writer);
}

function bytesFilters({ protocol, cluster }: InboundTarget, around: InboundChainContext, writer: ProtoWriter) {
  const target = { statPrefix: cluster, clusters: cluster };
  return bytesChainFilters({ direction: "inbound", protocol, target, ...around }, writer);
}
