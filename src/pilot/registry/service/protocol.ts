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

/** Parses a protocol name in any case; an unknown name uses protocol detection. */
export function parseProtocol(text: string): Protocol {
  return protocolOf.get(text.toLowerCase()) ?? "auto";
}
