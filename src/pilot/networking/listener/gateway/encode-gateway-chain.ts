import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { networkFiltersFor } from "../../filters.ts";
import type { ServerSurroundings } from "../../secret/server-socket.ts";
import { serverSocket } from "../../secret/server-socket.ts";
import { clientFilterContext } from "../client-filter-context.ts";
import { encodeChain } from "../filter-chain.ts";
import { connectionManager } from "../http/http-connection-manager.ts";
import { tcpFilters } from "../tcp-proxy.ts";
import type { GatewayChain, HttpAction } from "./gateway-chain.ts";
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

function filtersOf({ protocol, action }: GatewayChain, surroundings: Surroundings, writer: ProtoWriter) {
  const { client, mesh } = surroundings;
  return [
    ...networkFiltersFor(clientFilterContext("gateway", protocol, client), writer),
    ...(action.type === "http"
      ? [requestFilter(action, protocol, surroundings, writer)]
      : tcpFilters(protocol, action.target, { mesh, settings: client.settings }, writer)),
  ];
}

function requestFilter(
  { routes, statPrefix: asked }: HttpAction,
  protocol: GatewayChain["protocol"],
  { listener, client, mesh }: Surroundings,
  writer: ProtoWriter,
): Uint8Array {
  const statPrefix = asked === "" ? `outbound_${listener};` : asked;
  return connectionManager({ direction: "gateway", statPrefix, routes, protocol, client, mesh }, writer);
}
