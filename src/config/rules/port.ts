import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";
import { isIpAddress, isPortNumber } from "../grammar/address.ts";
import { isDnsLabel, isFqdn } from "../grammar/names.ts";

/** The protocols of a port, in upper case. Users may write any case. */
const protocols: ReadonlySet<string> = new Set([
  "GRPC",
  "GRPC-WEB",
  "HBONE",
  "HTTP",
  "HTTP2",
  "HTTPS",
  "HTTP_PROXY",
  "MONGO",
  "MYSQL",
  "REDIS",
  "TCP",
  "TLS",
  "UDP",
]);

export function portNumber(number: number, path: string): readonly Finding[] {
  return errorUnless(isPortNumber(number), path, {
    code: "bad-port",
    message: number === 0 ? "a port number is missing" : `a port is between 1 and 65535, not ${number}`,
  });
}

export function portName(name: string, path: string): readonly Finding[] {
  return errorUnless(isDnsLabel(name), path, { code: "bad-name", message: `"${name}" cannot name a port` });
}

/** For fields where zero means "not set". */
export function optionalPortNumber(number: number, path: string): readonly Finding[] {
  return number === 0 ? [] : portNumber(number, path);
}

export function isKnownProtocol(protocol: string): boolean {
  return protocols.has(protocol.toUpperCase());
}

/** The ports of a filter. */
export function trafficPorts(
  selectors: readonly { readonly ports: readonly { readonly number: number }[] }[],
  path: string,
): readonly Finding[] {
  return selectors.flatMap(({ ports }, index) =>
    ports.flatMap(({ number }, at) => portNumber(number, fieldPath(path, index, "ports", at, "number"))),
  );
}

export function knownProtocol(protocol: string, path: string): readonly Finding[] {
  return errorUnless(isKnownProtocol(protocol), path, {
    code: "unknown-protocol",
    message: protocol === "" ? "a protocol is missing" : `"${protocol}" is not a known protocol`,
    hint: `known are ${[...protocols].join(", ")}`,
  });
}

/** True for protocols whose requests contain the host. */
export function isHttpProtocol(protocol: string): boolean {
  return ["HTTP", "HTTP2", "GRPC", "GRPC-WEB", "HTTP_PROXY"].includes(protocol.toUpperCase());
}

/** True for protocols whose connections contain the host, as SNI. */
export function isTlsProtocol(protocol: string): boolean {
  return ["HTTPS", "TLS"].includes(protocol.toUpperCase());
}

/** `host:port`, with an IPv6 address in brackets. May be absent. */
export function hostPort(text: string, path: string): readonly Finding[] {
  const parts = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[^:]+)):(?<port>\d{1,5})$/u.exec(text)?.groups;
  const host = parts?.["ipv6"] ?? parts?.["host"] ?? "";
  const isGood = (isFqdn(host) || isIpAddress(host)) && portNumber(Number(parts?.["port"]), path).length === 0;
  return errorUnless(text === "" || isGood, path, {
    code: "bad-address",
    message: `"${text}" is not a host and a port`,
    hint: "write host:port",
  });
}
