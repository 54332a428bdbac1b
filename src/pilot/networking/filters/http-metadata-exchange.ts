import type { JsonObject } from "@bufbuild/protobuf";
import type { Filter } from "./filter.ts";
import type { FilterContext } from "./filter-context.ts";
import { typedStruct } from "./typed-struct.ts";

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

/** Before all other filters, so that even those that refuse a request know whose it was. */
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
