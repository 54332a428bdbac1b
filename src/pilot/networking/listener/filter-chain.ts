import { FilterChainSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { ChainMatch } from "./chain-match.ts";
import { filterChainMatchOf } from "./chain-match.ts";

/** One filter chain, its parts encoded. */
export interface FilterChainInputs {
  readonly name: string;
  readonly match: ChainMatch;
  readonly filters: readonly Uint8Array[];
  readonly transportSocket?: Uint8Array | undefined;
  /** Closes connections whose TLS handshake is too slow. */
  readonly limitsHandshake?: boolean;
  /** The source object, as a path. */
  readonly config?: string | undefined;
}

export function encodeChain(inputs: FilterChainInputs, writer: ProtoWriter): Uint8Array {
  const { name, match, filters, transportSocket, limitsHandshake = false, config } = inputs;
  return writer.encode(FilterChainSchema, {
    filterChainMatch: filterChainMatchOf(match),
    filters,
    metadata: config === undefined ? undefined : { filterMetadata: { istio: { config } } },
    transportSocket,
    transportSocketConnectTimeout: limitsHandshake ? { seconds: 15n, nanos: 0 } : undefined,
    name,
  });
}
