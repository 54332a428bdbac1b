import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { capabilitiesId } from "../../../model/proxy/capabilities.ts";
import { configPath } from "../../config-path.ts";
import { networkFiltersFor } from "../../filters.ts";
import { clientFilterContext } from "../client-filter-context.ts";
import { encodeChain } from "../filter-chain.ts";
import { connectionManager } from "../http/http-connection-manager.ts";
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
  const id = JSON.stringify([match, facts, capabilitiesId(client.capabilities), client.settings.idleTimeoutMs]);
  const config = virtualService && configPath("virtual-service", virtualService.namespace, virtualService.name);
  return built.get([service, rule ?? absent, virtualService ?? absent, mesh, writer], id, () =>
    encodeChain(
      { name: "", match, filters: bytesFilters(action, surroundings, writer), limitsHandshake: true, config },
      writer,
    ),
  );
}

function httpFilters(action: HttpChain, listener: string, { client, mesh }: Surroundings, writer: ProtoWriter) {
  const { routes, protocol } = action;
  const statPrefix = `outbound_${listener};`;
  return [
    ...networkFiltersFor(clientFilterContext("outbound", protocol, client), writer),
    connectionManager({ direction: "outbound", statPrefix, routes, protocol, client, mesh }, writer),
  ];
}

function bytesFilters(action: TcpChain, { client, mesh }: Surroundings, writer: ProtoWriter) {
  const { protocol } = action;
  return [
    ...networkFiltersFor(clientFilterContext("outbound", protocol, client), writer),
    ...tcpFilters(protocol, action, { mesh, settings: client.settings }, writer),
  ];
}
