import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { capabilitiesId } from "../../../model/proxy/capabilities.ts";
import { configPath } from "../../config-path.ts";
import { bytesChainFilters, httpChainFilters } from "../chain-filters.ts";
import { encodeChain } from "../filter-chain.ts";
import type { ListenerClient } from "../listener-client.ts";
import { listenerClientId } from "../listener-client.ts";
import type { OutboundChain } from "./outbound-chain.ts";

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
  { client, mesh }: Surroundings,
  writer: ProtoWriter,
): Uint8Array {
  const { match, action, service } = chain;
  if (action.type === "http") {
    const id = JSON.stringify([listener, match, action, listenerClientId(client)]);
    return built.get([service, mesh, writer], id, () => {
      const { routes, protocol } = action;
      const inputs = {
        direction: "outbound",
        statPrefix: `outbound_${listener};`,
        routes,
        protocol,
        client,
        mesh,
      } as const;
      return encodeChain({ name: "", match, filters: httpChainFilters(inputs, writer), limitsHandshake: true }, writer);
    });
  }
  const { rule, virtualService, ...facts } = action;
  const id = JSON.stringify([match, facts, capabilitiesId(client.capabilities), client.settings.idleTimeoutMs]);
  const config = virtualService && configPath("virtual-service", virtualService.namespace, virtualService.name);
  return built.get([service, rule ?? absent, virtualService ?? absent, mesh, writer], id, () => {
    const inputs = { direction: "outbound", protocol: action.protocol, target: action, client, mesh } as const;
    const filters = bytesChainFilters(inputs, writer);
    return encodeChain({ name: "", match, filters, limitsHandshake: true, config }, writer);
  });
}
