import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { ServerTls } from "../../../model/gateway/gateway.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { MtlsMode } from "../../../model/mtls/peer-authentication.ts";
import type { Protocol } from "../../../model/service/service.ts";
import { inboundClusterName, inboundPassthroughCluster } from "../../cluster/cluster-name.ts";
import { filterContextId } from "../../filters/filter-context.ts";
import { networkFiltersFor } from "../../filters.ts";
import { meshServerSocket } from "../../secret/mesh-server-socket.ts";
import { serverSocket } from "../../secret/server-socket.ts";
import { bytesChainFilters, httpChainFilters } from "../chain-filters.ts";
import type { ChainMatch } from "../chain-match.ts";
import { matchAll, plainHttpOf } from "../chain-match.ts";
import { clientFilterContext } from "../client-filter-context.ts";
import { encodeChain } from "../filter-chain.ts";
import { listenerName } from "../listener-address.ts";
import { blackHoleFilters } from "../tcp-proxy.ts";
import type { InboundClient } from "./inbound-client.ts";
import { inboundClientId } from "./inbound-client.ts";
import type { InboundPort } from "./inbound-ports.ts";
import { inboundRoute } from "./inbound-route.ts";
import type { InboundRule } from "./inbound-rules.ts";
import { inboundRules } from "./inbound-rules.ts";

/** An encoded chain, and what it matches: listeners are told by that what to look for. */
export interface InboundChain {
  readonly match: ChainMatch;
  readonly bytes: Uint8Array;
}

/** What chains are made for: a port of the workload, or all that nobody serves. */
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

/** Who the chains are for. */
export interface InboundSurroundings {
  readonly client: InboundClient;
  readonly mesh: MeshSettings;
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

const built = new Memo<readonly InboundChain[]>();

/** The chains of a port, for what it speaks and whom it accepts. */
export function portChains(
  port: InboundPort,
  mode: MtlsMode,
  surroundings: InboundSurroundings,
  writer: ProtoWriter,
): readonly InboundChain[] {
  const target = targetOf(port);
  const id = JSON.stringify([target, mode, inboundClientId(surroundings.client)]);
  return built.get([port.source, surroundings.mesh, writer], id, () => encode(target, mode, surroundings, writer));
}

/** The chains for a port that no service is known for; 0 for all of them. */
export function passthroughChains(
  port: number,
  mode: MtlsMode,
  surroundings: InboundSurroundings,
  writer: ProtoWriter,
): readonly InboundChain[] {
  const id = JSON.stringify([port, mode, inboundClientId(surroundings.client)]);
  return built.get([surroundings.mesh, writer], id, () => encode({ ...passthrough, port }, mode, surroundings, writer));
}

/** For connections to the very port that everything is redirected to: they would go round for ever. */
export function blackHoleChains({ client, mesh }: InboundSurroundings, writer: ProtoWriter): readonly InboundChain[] {
  const context = clientFilterContext("inbound", "TCP", client);
  return built.get([mesh, writer], `black hole ${filterContextId(context)}`, () => {
    const match = { ...matchAll, destinationPort: mesh.inboundPort };
    const filters = [...networkFiltersFor(context, writer), ...blackHoleFilters(writer)];
    return [{ match, bytes: encodeChain({ name: "virtualInbound-blackhole", match, filters }, writer) }];
  });
}

function targetOf({ number, protocol, bind, hostname, servicePort, config, tls }: InboundPort): InboundTarget {
  const name = listenerName(bind, number);
  const cluster = inboundClusterName(number);
  const names = { http: name, tcp: name };
  return { port: number, protocol, cluster, hostname, servicePort, statPrefix: `inbound_${name};`, names, config, tls };
}

function encode(
  target: InboundTarget,
  mode: MtlsMode,
  { client, mesh }: InboundSurroundings,
  writer: ProtoWriter,
): readonly InboundChain[] {
  const { certificates, capabilities } = client;
  const own =
    mode === "disable" && target.tls !== undefined ? ownSocket(target.tls, { client, mesh }, writer) : undefined;
  const rules = rulesOf(target, mode, { client, mesh });
  // Chains of one port differ in whom they take, not in what they do: their filters are encoded once.
  const filtersFor = {
    http: rules.some(({ carries }) => carries === "http") ? requestFilters(target, { client, mesh }, writer) : [],
    tcp: rules.some(({ carries }) => carries === "tcp") ? bytesFilters(target, { client, mesh }, writer) : [],
  };
  return rules.flatMap(({ carries, transportProtocol, applicationProtocols, terminates }) => {
    const match = { ...matchAll, destinationPort: target.port, transportProtocol, applicationProtocols };
    const meshTls = { certificates, mesh, capabilities, protocol: carries };
    const transportSocket = terminates ? (own ?? meshServerSocket(meshTls, writer)) : undefined;
    // Plain text in place of TLS that cannot be ended would be the worse answer.
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
}

/** TLS that the author of a Sidecar has its proxy end; nothing else gets in then. */
function rulesOf({ tls, protocol }: InboundTarget, mode: MtlsMode, { client }: InboundSurroundings) {
  if (mode !== "disable" || tls === undefined) return inboundRules(protocol, mode, plainHttpOf(client.settings));
  const carries = protocol === "HTTPS" ? "http" : "tcp";
  return [{ carries, transportProtocol: "tls", terminates: true, applicationProtocols: [] }] as const;
}

function ownSocket(tls: ServerTls, { client, mesh }: InboundSurroundings, writer: ProtoWriter): Uint8Array | undefined {
  const around = { certificates: client.certificates, defaults: mesh.tlsDefaults, exchangesMetadata: false };
  return serverSocket(tls, around, writer);
}

function requestFilters(target: InboundTarget, { client, mesh }: InboundSurroundings, writer: ProtoWriter) {
  const { protocol, statPrefix } = target;
  const routes = inboundRoute(target, writer);
  return httpChainFilters({ direction: "inbound", statPrefix, routes, protocol, client, mesh }, writer);
}

function bytesFilters({ protocol, cluster }: InboundTarget, around: InboundSurroundings, writer: ProtoWriter) {
  const target = { statPrefix: cluster, clusters: cluster };
  return bytesChainFilters({ direction: "inbound", protocol, target, ...around }, writer);
}
