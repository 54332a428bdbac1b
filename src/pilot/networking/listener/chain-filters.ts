import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Protocol } from "../../model/service/service.ts";
import type { Direction, FilterContext } from "../filters/filter-context.ts";
import { networkFiltersFor } from "../filters.ts";
import { clientFilterContext } from "./client-filter-context.ts";
import { type ConnectionManagerInputs, connectionManager } from "./http/http-connection-manager.ts";
import type { ListenerClient } from "./listener-client.ts";
import { type TcpTarget, tcpFilters } from "./tcp-proxy.ts";

/** The encoded filters of a chain whose requests are read. */
export function httpChainFilters(inputs: ConnectionManagerInputs, writer: ProtoWriter): readonly Uint8Array[] {
  return [...networkFiltersFor(contextOf(inputs), writer), connectionManager(inputs, writer)];
}

/** All that the filters of a chain of bytes depend on. */
export interface BytesInputs {
  readonly direction: Direction;
  /** Of the port. */
  readonly protocol: Protocol;
  readonly target: TcpTarget;
  readonly client: Pick<ListenerClient, "capabilities" | "settings">;
  readonly mesh: MeshSettings;
}

/** The encoded filters of a chain whose bytes are passed on. */
export function bytesChainFilters(inputs: BytesInputs, writer: ProtoWriter): readonly Uint8Array[] {
  const { protocol, target, client, mesh } = inputs;
  const { settings } = client;
  return [...networkFiltersFor(contextOf(inputs), writer), ...tcpFilters(protocol, target, { mesh, settings }, writer)];
}

function contextOf({
  direction,
  protocol,
  client,
}: Pick<BytesInputs, "direction" | "protocol" | "client">): FilterContext {
  return clientFilterContext(direction, protocol, client);
}
