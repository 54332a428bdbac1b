import { TypedStructSchema } from "#gen/udpa/type/v1/typed_struct_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Capabilities } from "../../model/proxy/capabilities.ts";

const encoded = new Memo<Uint8Array>();

/** The network filters of a cluster: workload metadata at the start of each connection, from proxies that know how. */
export function clusterFilters({ tcpMetadataExchange }: Capabilities, writer: ProtoWriter) {
  if (!tcpMetadataExchange) return [];
  const typedConfig = encoded.get([writer], "", () =>
    writer.any(TypedStructSchema, {
      typeUrl: "type.googleapis.com/envoy.tcp.metadataexchange.config.MetadataExchange",
      value: { protocol: "istio-peer-exchange", enable_discovery: true },
    }),
  );
  return [{ name: "istio.metadata_exchange", typedConfig }];
}
