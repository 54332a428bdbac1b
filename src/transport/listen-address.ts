import { isIPv6 } from "node:net";

/** The listen address of a server, or `off`. Port 0 lets the system choose; an empty host selects every interface. */
export type ListenAddress =
  | { readonly type: "off" }
  | { readonly type: "tcp"; readonly host: string; readonly port: number };

/** Parses `HOST:PORT`, `[IPV6]:PORT`, `:PORT` or `off`. Returns `undefined` for any other text. */
export function parseAddress(text: string): ListenAddress | undefined {
  if (text === "off") return { type: "off" };
  const groups = /^(?:\[(?<ipv6>[^[\]]+)\]|(?<host>[^:[\]\s]*)):(?<port>\d{1,5})$/.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { ipv6, host = "" } = groups;
  const port = Number(groups["port"]);
  if (port > 65_535) return undefined;
  if (ipv6 !== undefined && !isIPv6(ipv6)) return undefined;
  return { type: "tcp", host: ipv6 ?? host, port };
}

/** `HOST:PORT`, with brackets around an IPv6 host. */
export function formatAddress(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
