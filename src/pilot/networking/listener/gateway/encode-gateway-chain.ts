import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { ServerSurroundings } from "../../secret/server-socket.ts";
import { serverSocket } from "../../secret/server-socket.ts";
import { bytesChainFilters, httpChainFilters } from "../chain-filters.ts";
import { encodeChain } from "../filter-chain.ts";
import type { GatewayChain } from "./gateway-chain.ts";
import type { GatewayClient } from "./gateway-client.ts";
import { gatewayClientId } from "./gateway-client.ts";

interface Surroundings {
  /** The name of the listener. */
  readonly listener: string;
  readonly client: GatewayClient;
  readonly mesh: MeshSettings;
}

const built = new Memo<Uint8Array | undefined>();
const absent = {};

/** Undefined where TLS is to end and the proxy has no certificate for it: plain text would be the worse answer. */
export function encodeGatewayChain(
  chain: GatewayChain,
  surroundings: Surroundings,
  writer: ProtoWriter,
): Uint8Array | undefined {
  const { match, tls, protocol, action, source } = chain;
  const { listener, client, mesh } = surroundings;
  const { rule, ...facts } = action.type === "tcp" ? action.target : { ...action, rule: undefined };
  const id = JSON.stringify([match, protocol, facts, listener, gatewayClientId(client)]);
  return built.get([source, tls ?? absent, rule ?? absent, mesh, writer], id, () => {
    const transportSocket = tls && serverSocket(tls, tlsSurroundings(chain, surroundings), writer);
    if (tls !== undefined && transportSocket === undefined) return undefined;
    const filters = filtersOf(chain, surroundings, writer);
    return encodeChain({ name: "", match, filters, transportSocket, limitsHandshake: true }, writer);
  });
}

function tlsSurroundings({ action }: GatewayChain, { client, mesh }: Surroundings): ServerSurroundings {
  const exchangesMetadata = action.type === "tcp" && client.capabilities.tcpMetadataExchange;
  return { certificates: client.certificates, defaults: mesh.tlsDefaults, exchangesMetadata };
}

function filtersOf({ protocol, action }: GatewayChain, { listener, client, mesh }: Surroundings, writer: ProtoWriter) {
  const common = { direction: "gateway", protocol, client, mesh } as const;
  if (action.type === "tcp") return bytesChainFilters({ ...common, target: action.target }, writer);
  const { routes, statPrefix: asked } = action;
  return httpChainFilters({ ...common, routes, statPrefix: asked === "" ? `outbound_${listener};` : asked }, writer);
}
