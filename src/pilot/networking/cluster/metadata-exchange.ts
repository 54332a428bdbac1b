import { oncePer } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Capabilities } from "../../model/proxy/capabilities.ts";
import { networkMetadataExchange } from "../filters/network-metadata-exchange.ts";

const encoded = oncePer((writer: ProtoWriter) => networkMetadataExchange.config(writer));

/** The network filters of a cluster: workload metadata at the start of each connection, from proxies that know how. */
export function clusterFilters({ tcpMetadataExchange }: Capabilities, writer: ProtoWriter) {
  return tcpMetadataExchange ? [{ name: networkMetadataExchange.name, typedConfig: encoded(writer) }] : [];
}
