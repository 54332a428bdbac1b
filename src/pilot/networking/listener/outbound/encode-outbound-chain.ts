import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer.ts";
import { capabilitiesId } from "../../../model/capabilities.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { configPath } from "../../config-path.ts";
import { networkFiltersFor } from "../../filters.ts";
import { encodeChain } from "../filter-chain.ts";
import { connectionManager } from "../http-connection-manager.ts";
import type { ListenerClient } from "../listener-client.ts";
import { listenerClientId } from "../listener-client.ts";
import { tcpFilters } from "../tcp-proxy.ts";
import type { HttpChain, OutboundChain, TcpChain } from "./outbound-chain.ts";

interface Surroundings {
  readonly client: ListenerClient;
  readonly mesh: MeshSettings;
}

const built = new Memo<Uint8Array>();
const absent = {};

/** An encoded chain, remembered for as long as the objects it was made of. Chains of bytes are the same for everyone. */
export function encodeOutboundChain(
  chain: OutboundChain,
  listener: string,
  surroundings: Surroundings,
  writer: ProtoWriter,
): Uint8Array {
  const { match, action, service } = chain;
  const { client, mesh } = surroundings;
  if (action.type === "http") {
    const id = JSON.stringify([listener, match, action, listenerClientId(client)]);
    return built.get([service, mesh, writer], id, () =>
      encodeChain(
        { name: "", match, filters: httpFilters(action, listener, surroundings, writer), limitsHandshake: true },
        writer,
      ),
    );
  }
  const { rule, virtualService, ...facts } = action;
  const id = JSON.stringify([match, facts, capabilitiesId(client.capabilities)]);
  const config = virtualService && configPath("virtual-service", virtualService.namespace, virtualService.name);
  return built.get([service, rule ?? absent, virtualService ?? absent, writer], id, () =>
    encodeChain(
      { name: "", match, filters: bytesFilters(action, client, writer), limitsHandshake: true, config },
      writer,
    ),
  );
}

function httpFilters(action: HttpChain, listener: string, { client, mesh }: Surroundings, writer: ProtoWriter) {
  const { routes, protocol } = action;
  const { capabilities } = client;
  const statPrefix = `outbound_${listener};`;
  return [
    ...networkFiltersFor({ direction: "outbound", protocol, capabilities }, writer),
    connectionManager({ direction: "outbound", statPrefix, routes, protocol, client, mesh }, writer),
  ];
}

function bytesFilters(action: TcpChain, { capabilities }: ListenerClient, writer: ProtoWriter) {
  const { protocol, statPrefix, clusters, rule } = action;
  // Only what holds for the whole host: a connection is limited before its port's or subset's cluster is chosen.
  const pool = rule?.trafficPolicy?.connectionPool;
  const { tcpIdleTimeout: idleTimeout, maxConnectionDuration } = pool ?? {};
  return [
    ...networkFiltersFor({ direction: "outbound", protocol, capabilities }, writer),
    ...tcpFilters(protocol, { statPrefix, clusters, idleTimeout, maxConnectionDuration }, writer),
  ];
}
