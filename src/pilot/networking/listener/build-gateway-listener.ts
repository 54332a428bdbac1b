import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { MergedPort } from "../../model/merged-gateway.ts";
import { httpRouteName } from "../../model/merged-gateway.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";
import { matchAll } from "./chain-match.ts";
import { encodeChain } from "./filter-chain.ts";
import { connectionManager } from "./http-connection-manager.ts";
import { addressOf, listenerName } from "./listener-address.ts";
import type { ListenerClient } from "./listener-client.ts";
import { listenerClientId } from "./listener-client.ts";

/** All that a gateway's listener depends on. */
export interface GatewayListenerInputs {
  readonly port: MergedPort;
  readonly client: ListenerClient;
  readonly mesh: MeshSettings;
}

const built = new Memo<Resource | undefined>();

/** Undefined for ports that carry no plain HTTP: those with TLS and TCP are not served yet. */
export function buildGatewayListener(inputs: GatewayListenerInputs, writer: ProtoWriter): Resource | undefined {
  const { port, client, mesh } = inputs;
  return built.get([port, mesh, writer], listenerClientId(client), () => encodeListener(inputs, writer));
}

function encodeListener({ port, client, mesh }: GatewayListenerInputs, writer: ProtoWriter) {
  const routes = httpRouteName(port);
  if (routes === undefined) return undefined;
  const bind = port.bind === "" ? client.wildcard : port.bind;
  const name = listenerName(bind, port.port);
  const { protocol } = port.servers[0].server;
  const statPrefix = `outbound_${name};`;
  const manager = connectionManager({ direction: "gateway", statPrefix, routes, protocol, client, mesh }, writer);
  const any = writer.any(ListenerSchema, {
    name,
    address: addressOf(bind, port.port),
    filterChains: [encodeChain({ name: "", match: matchAll, filters: [manager], limitsHandshake: true }, writer)],
    trafficDirection: TrafficDirection.OUTBOUND,
    maxConnectionsToAcceptPerSocketEvent: 1,
  });
  return makeResource({ name, any, owners: port.servers.map(({ gateway }) => gateway.owner) });
}
