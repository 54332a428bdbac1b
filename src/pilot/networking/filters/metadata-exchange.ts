import type { JsonObject } from "@bufbuild/protobuf";
import { TypedStructSchema } from "#gen/udpa/type/v1/typed_struct_pb.js";
import { oncePer } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Capabilities } from "../../model/proxy/capabilities.ts";
import type { Filter, FilterContext, NetworkContext } from "./filter.ts";

const byHeaders = { istio_headers: {} };
const byAddress = { workload_discovery: {} };
const byHeadersInMesh = { istio_headers: { skip_external_clusters: true } };

/** For the client side: sends its metadata to the server, and reads the server's metadata. */
export const upstreamMetadataExchange = exchangeWith(
  "upstream",
  byHeaders,
  ({ direction, hidesIdentityOutside }) => direction !== "inbound" && !hidesIdentityOutside,
);

/** The same, but sends no metadata outside the mesh. */
export const guardedMetadataExchange = exchangeWith(
  "upstream",
  byHeadersInMesh,
  ({ direction, hidesIdentityOutside }) => direction !== "inbound" && hidesIdentityOutside,
);

/** For the side that is called. */
export const downstreamMetadataExchange = exchangeWith(
  "downstream",
  byHeaders,
  ({ direction }) => direction === "inbound",
);

/** The first filter, so that filters that refuse a request know the peer. */
function exchangeWith(
  peer: "upstream" | "downstream",
  propagation: JsonObject,
  stands: (context: FilterContext) => boolean,
): Filter {
  return {
    name: "istio.metadata_exchange",
    appliesTo: (context) => context.capabilities.httpPeerMetadata && stands(context),
    config: (writer) => {
      const value = { [`${peer}_discovery`]: [byHeaders, byAddress], [`${peer}_propagation`]: [propagation] };
      return typedStruct("io.istio.http.peer_metadata.Config", value, writer);
    },
  };
}

/** For inbound TCP connections, by their first bytes. For outbound ones see `clusterFilters`. */
export const networkMetadataExchange: Filter<NetworkContext> = {
  name: "istio.metadata_exchange",
  appliesTo: ({ direction, capabilities }) => direction === "inbound" && capabilities.tcpMetadataExchange,
  config: (writer) => {
    const value = { enable_discovery: true, protocol: "istio-peer-exchange" };
    return typedStruct("envoy.tcp.metadataexchange.config.MetadataExchange", value, writer);
  },
};

const encoded = oncePer((writer: ProtoWriter) => networkMetadataExchange.config(writer));

/**
 * The network filters of a cluster: workload metadata at the start of each connection, from proxies that support it.
 */
export function clusterFilters({ tcpMetadataExchange }: Capabilities, writer: ProtoWriter) {
  return tcpMetadataExchange ? [{ name: networkMetadataExchange.name, typedConfig: encoded(writer) }] : [];
}

/** An encoded Any around a message of a proxy's own extension: its type, and its content as JSON. */
function typedStruct(typeName: string, value: JsonObject, writer: ProtoWriter): Uint8Array {
  return writer.any(TypedStructSchema, { typeUrl: `type.googleapis.com/${typeName}`, value });
}
