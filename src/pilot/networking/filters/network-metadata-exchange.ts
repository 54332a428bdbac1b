import type { Filter } from "./filter.ts";
import type { NetworkContext } from "./filter-context.ts";
import { typedStruct } from "./typed-struct.ts";

/** The same for connections, by their first bytes. On the way out the clusters do it, per upstream connection. */
export const networkMetadataExchange: Filter<NetworkContext> = {
  name: "istio.metadata_exchange",
  appliesTo: ({ direction, capabilities }) => direction === "inbound" && capabilities.tcpMetadataExchange,
  config: (writer) => {
    const value = { enable_discovery: true, protocol: "istio-peer-exchange" };
    return typedStruct("envoy.tcp.metadataexchange.config.MetadataExchange", value, writer);
  },
};
