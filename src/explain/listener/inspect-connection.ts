import { HttpInspectorSchema } from "#gen/envoy/extensions/filters/listener/http_inspector/v3/http_inspector_pb.js";
import { TlsInspectorSchema } from "#gen/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.js";
import { isIpAddress } from "../../config/grammar/address.ts";
import { hostnameOf, type Request } from "../request.ts";
import type { Arrival } from "./choose-listener.ts";
import { hasListenerFilter } from "./listener-filters.ts";

/** What a listener knows of a connection when it chooses the filter chain. */
export interface Connection {
  readonly address: string | undefined;
  readonly port: number;
  readonly transportProtocol: "tls" | "raw_buffer";
  /** Empty when there is none, or when nobody looked. */
  readonly serverName: string;
  readonly applicationProtocols: readonly string[];
}

/** Only inspectors look into the first bytes: without them everything is plaintext of an unknown protocol. */
export function inspectConnection({ listener, address }: Arrival, request: Request): Connection {
  const { port, protocol = "http" } = request;
  const unseen = { address, port, transportProtocol: "raw_buffer", serverName: "", applicationProtocols: [] } as const;
  if (protocol === "tls") {
    if (!hasListenerFilter(listener, TlsInspectorSchema, port)) return unseen;
    const { alpn = [], sni = sniFor(request) } = request;
    return { ...unseen, transportProtocol: "tls", serverName: sni.toLowerCase(), applicationProtocols: alpn };
  }
  if (!hasListenerFilter(listener, HttpInspectorSchema, port)) return unseen;
  return { ...unseen, applicationProtocols: seenInPlaintext[protocol] };
}

/** What the HTTP inspector calls what it sees. */
const seenInPlaintext = { http: ["http/1.1"], http2: ["h2c"], tcp: [] } as const;

/** An address is no server name. */
function sniFor(request: Request): string {
  const hostname = hostnameOf(request);
  return isIpAddress(hostname) ? "" : hostname;
}
