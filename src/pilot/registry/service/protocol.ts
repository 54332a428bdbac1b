import type { Protocol } from "../../model/service/service.ts";

const protocols: readonly Protocol[] = [
  "HTTP",
  "HTTP2",
  "HTTP_PROXY",
  "GRPC",
  "GRPC-Web",
  "HTTPS",
  "TLS",
  "TCP",
  "Mongo",
  "Redis",
  "MySQL",
  "UDP",
];

const protocolOf = new Map(protocols.map((protocol) => [protocol.toLowerCase(), protocol]));

/** A protocol as users spell it, in any case; what we do not know is left to detection. */
export function parseProtocol(text: string): Protocol {
  return protocolOf.get(text.toLowerCase()) ?? "auto";
}
