import { unixPath } from "../model/service/service.ts";

/** A port of an address, as a `SocketAddress`. */
export function socketAddress(address: string, port: number) {
  return { address, portSpecifier: { case: "portValue", value: port } } as const;
}

/** The same as an `Address`. `unix://` and a path gives a Unix socket. */
export function addressOf(address: string, port: number) {
  const path = unixPath(address);
  return path === undefined
    ? ({ address: { case: "socketAddress", value: socketAddress(address, port) } } as const)
    : pipeAddress(path);
}

export function pipeAddress(path: string) {
  return { address: { case: "pipe", value: { path } } } as const;
}

/** A hostname or address as in a URL: IPv6 in brackets. */
export function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** `host:port`: a `Host` header, and the name of a virtual host. */
export function hostAndPort(host: string, port: number): string {
  return `${bracketed(host)}:${port}`;
}
