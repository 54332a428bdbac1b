import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import type { ServerTlsContext } from "../../secret/server-socket.ts";
import { serverSocket } from "../../secret/server-socket.ts";
import { bytesChainFilters, httpChainFilters } from "../chain-filters.ts";
import { encodeChain } from "../filter-chain.ts";
import type { TcpTarget } from "../tcp-proxy.ts";
import type { GatewayChain, HttpChainAction } from "./gateway-chain.ts";
import type { GatewayClient } from "./gateway-client.ts";

interface Context {
  /** The name of the listener. */
  readonly listener: string;
  readonly client: GatewayClient;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** Undefined if the chain terminates TLS and the proxy has no certificate: plain text would be less safe. */
export function encodeGatewayChain(chain: GatewayChain, context: Context, writer: ProtoWriter): Uint8Array | undefined {
  const { match, tls, protocol, action, source } = chain;
  const { listener, client, mesh, policies } = context;
  if (action.type === "http") {
    return buildChain([source, tls, undefined, mesh, policies, writer], { match, protocol, action, listener, client });
  }
  const { rule, ...target } = action.target;
  const facts = { match, protocol, action: { type: action.type, target }, listener, client };
  return buildChain([source, tls, rule, mesh, policies, writer], facts);
}

type Held = readonly [
  GatewayChain["source"],
  GatewayChain["tls"],
  TcpTarget["rule"],
  MeshSettings,
  TrafficPolicies,
  ProtoWriter,
];

interface Facts extends Pick<GatewayChain, "match" | "protocol">, Pick<Context, "listener" | "client"> {
  readonly action: HttpChainAction | { readonly type: "tcp"; readonly target: Omit<TcpTarget, "rule"> };
}

const buildChain = memoize(([, tls, rule, mesh, policies, writer]: Held, facts: Facts): Uint8Array | undefined => {
  const { match, protocol, listener, client } = facts;
  const action: GatewayChain["action"] =
    facts.action.type === "http" ? facts.action : { type: "tcp", target: { ...facts.action.target, rule } };
  const transportSocket = tls && serverSocket(tls, serverTlsContext(action, { client, mesh }), writer);
  if (tls !== undefined && transportSocket === undefined) return undefined;
  const filters = filtersOf({ protocol, action }, { listener, client, mesh, policies }, writer);
  return encodeChain({ name: "", match, filters, transportSocket, limitsHandshake: true }, writer);
});

function serverTlsContext(
  action: GatewayChain["action"],
  { client, mesh }: Pick<Context, "client" | "mesh">,
): ServerTlsContext {
  const exchangesMetadata = action.type === "tcp" && client.capabilities.tcpMetadataExchange;
  return { certificates: client.certificates, defaults: mesh.tlsDefaults, exchangesMetadata };
}

function filtersOf(
  { protocol, action }: Pick<GatewayChain, "protocol" | "action">,
  { listener, ...around }: Context,
  writer: ProtoWriter,
) {
  const common = { direction: "gateway", protocol, ...around } as const;
  if (action.type === "tcp") return bytesChainFilters({ ...common, target: action.target }, writer);
  const { routes, statPrefix: asked } = action;
  return httpChainFilters({ ...common, routes, statPrefix: asked === "" ? `outbound_${listener};` : asked }, writer);
}
