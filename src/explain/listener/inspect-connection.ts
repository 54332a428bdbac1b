import { HttpInspectorSchema } from "#gen/envoy/extensions/filters/listener/http_inspector/v3/http_inspector_pb.js";
import { TlsInspectorSchema } from "#gen/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.js";
import { isIpAddress } from "../../config/grammar/address.ts";
import { requestHostname, type SimulatedRequest } from "../simulated-request.ts";
import type { Arrival } from "./choose-listener.ts";
import { hasListenerFilter } from "./has-listener-filter.ts";

/** The facts that a listener knows about a connection when it chooses the filter chain. */
export interface InspectedConnection {
  readonly address: string | undefined;
  /** The address of the caller, if known. */
  readonly source: string | undefined;
  readonly port: number;
  readonly transportProtocol: "tls" | "raw_buffer";
  /** Empty without SNI, or without a TLS inspector. */
  readonly serverName: string;
  readonly applicationProtocols: readonly string[];
}

/** Only inspectors read the first bytes. Without them every connection is plaintext of an unknown protocol. */
export function inspectConnection({ listener, address }: Arrival, request: SimulatedRequest): InspectedConnection {
  const { port, protocol = "http", sourceAddress: source } = request;
  const nothing = { transportProtocol: "raw_buffer", serverName: "", applicationProtocols: [] } as const;
  const unseen = { address, source, port, ...nothing };
  if (protocol === "tls") {
    if (!hasListenerFilter(listener, TlsInspectorSchema, port)) return unseen;
    const { alpn = [], sni = sniFor(request) } = request;
    return { ...unseen, transportProtocol: "tls", serverName: sni.toLowerCase(), applicationProtocols: alpn };
  }
  if (!hasListenerFilter(listener, HttpInspectorSchema, port)) return unseen;
  return { ...unseen, applicationProtocols: seenInPlaintext[protocol] };
}

/** The HTTP inspector's names for the detected protocols. */
const seenInPlaintext = { http: ["http/1.1"], http2: ["h2c"], tcp: [] } as const;

/** An IP address is no SNI. */
function sniFor(request: SimulatedRequest): string {
  const hostname = requestHostname(request);
  return isIpAddress(hostname) ? "" : hostname;
}
