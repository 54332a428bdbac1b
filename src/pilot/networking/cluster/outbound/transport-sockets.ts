import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { ProxyProtocolConfig_Version as Version } from "#gen/envoy/config/core/v3/proxy_protocol_pb.js";
import { ProxyProtocolUpstreamTransportSchema } from "#gen/envoy/extensions/transport_sockets/proxy_protocol/v3/upstream_proxy_protocol_pb.js";
import { RawBufferSchema } from "#gen/envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer_pb.js";
import { oncePer } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { DestinationPolicy } from "../../../model/traffic/destination-rule.ts";
import type { UpstreamTls } from "./upstream-tls.ts";

type ProxyProtocol = DestinationPolicy["proxyProtocol"];

/** The fields of a cluster for TLS and the PROXY protocol. */
export function transportSockets(tls: UpstreamTls, proxyProtocol: ProxyProtocol, writer: ProtoWriter) {
  const introduced = (socket: Uint8Array) => withProxyProtocol(socket, proxyProtocol, writer);
  if (tls.type === "where-marked") {
    return { transportSocket: undefined, transportSocketMatches: matches(tls.socket, introduced, writer) };
  }
  if (tls.type === "always") return { transportSocket: introduced(tls.socket), transportSocketMatches: [] };
  return {
    transportSocket: proxyProtocol === undefined ? undefined : introduced(plainSocket(writer)),
    transportSocketMatches: [],
  };
}

/** By the TLS mode in an endpoint's metadata; the first match applies. */
function matches(secure: Uint8Array, introduced: (socket: Uint8Array) => Uint8Array, writer: ProtoWriter) {
  return [
    { name: "tlsMode-istio", match: { tlsMode: "istio" }, transportSocket: introduced(secure) },
    { name: "tlsMode-disabled", match: {}, transportSocket: introduced(plainSocket(writer)) },
  ];
}

const versions = { v1: Version.V1, v2: Version.V2 } as const;

/** Wraps the socket with the PROXY protocol header, if configured. */
function withProxyProtocol(transportSocket: Uint8Array, proxyProtocol: ProxyProtocol, writer: ProtoWriter): Uint8Array {
  if (proxyProtocol === undefined) return transportSocket;
  const config = { version: versions[proxyProtocol] };
  const typedConfig = writer.any(ProxyProtocolUpstreamTransportSchema, { config, transportSocket });
  return writer.encode(TransportSocketSchema, {
    name: "envoy.transport_sockets.upstream_proxy_protocol",
    configType: { case: "typedConfig", value: typedConfig },
  });
}

/** One encoding for all clusters. */
const plainSocket = oncePer((writer: ProtoWriter) =>
  writer.encode(TransportSocketSchema, {
    name: "envoy.transport_sockets.raw_buffer",
    configType: { case: "typedConfig", value: writer.any(RawBufferSchema, {}) },
  }),
);
