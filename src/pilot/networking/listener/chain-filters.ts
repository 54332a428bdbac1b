import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../model/policy/traffic-policies.ts";
import type { Protocol } from "../../model/service/service.ts";
import type { Direction, NetworkContext } from "../filters/filter.ts";
import { networkFiltersFor } from "../filters.ts";
import { type ConnectionManagerInputs, connectionManager } from "./http/http-connection-manager.ts";
import type { ListenerClient } from "./listener-client.ts";
import { type TcpSettings, type TcpTarget, tcpFilters } from "./tcp-proxy.ts";

/** The encoded filters of an HTTP chain. */
export function httpChainFilters(inputs: ConnectionManagerInputs, writer: ProtoWriter): readonly Uint8Array[] {
  return [...networkFiltersFor(networkContextOf("http", inputs), writer), connectionManager(inputs, writer)];
}

/** All inputs of the filters of a TCP chain. */
export interface BytesInputs {
  readonly direction: Direction;
  /** Of the port. */
  readonly protocol: Protocol;
  readonly target: TcpTarget;
  readonly client: Pick<ListenerClient, "capabilities"> & { readonly settings: TcpSettings };
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** The encoded filters of a TCP chain. */
export function bytesChainFilters(inputs: BytesInputs, writer: ProtoWriter): readonly Uint8Array[] {
  const { direction, protocol, target, client, mesh, policies } = inputs;
  const { settings } = client;
  const first = networkFiltersFor(networkContextOf("tcp", inputs), writer);
  return [...first, ...tcpFilters(protocol, target, { direction, mesh, policies, settings }, writer)];
}

interface ChainInputs extends Pick<NetworkContext, "direction" | "mesh" | "policies"> {
  readonly client: Pick<ListenerClient, "capabilities">;
}

function networkContextOf(
  carries: NetworkContext["carries"],
  { direction, client: { capabilities }, mesh, policies }: ChainInputs,
): NetworkContext {
  return { direction, carries, capabilities, mesh, policies };
}
