import { unixPath } from "../model/service/unix-path.ts";

/** A port of an address, as a `SocketAddress`. */
export function socketAddress(address: string, port: number) {
  return { address, portSpecifier: { case: "portValue", value: port } } as const;
}

/** The same as an `Address`; of a Unix socket, `unix://` and a path, that socket. */
export function addressOf(address: string, port: number) {
  const path = unixPath(address);
  return path === undefined
    ? ({ address: { case: "socketAddress", value: socketAddress(address, port) } } as const)
    : pipeAddress(path);
}

export function pipeAddress(path: string) {
  return { address: { case: "pipe", value: { path } } } as const;
}
