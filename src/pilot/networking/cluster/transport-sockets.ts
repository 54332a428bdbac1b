import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { RawBufferSchema } from "#gen/envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { UpstreamTls } from "./upstream-tls.ts";

/** The fields of a cluster that say how its connections are secured. */
export function transportSockets(tls: UpstreamTls, writer: ProtoWriter) {
  return {
    transportSocket: tls.type === "always" ? tls.socket : undefined,
    transportSocketMatches: tls.type === "where-marked" ? matches(tls.socket, writer) : [],
  };
}

/** By the mark in an endpoint's metadata; the first match counts. */
function matches(secure: Uint8Array, writer: ProtoWriter) {
  return [
    { name: "tlsMode-istio", match: { tlsMode: "istio" }, transportSocket: secure },
    { name: "tlsMode-disabled", match: {}, transportSocket: plainSocket(writer) },
  ];
}

const plain = new Memo<Uint8Array>();

function plainSocket(writer: ProtoWriter): Uint8Array {
  return plain.get([writer], "", () =>
    writer.encode(TransportSocketSchema, {
      name: "envoy.transport_sockets.raw_buffer",
      configType: { case: "typedConfig", value: writer.any(RawBufferSchema, {}) },
    }),
  );
}
