import { unixPath } from "../../model/service/unix-path.ts";
import type { ListenerClient } from "./listener-client.ts";

/** `address_port`: how listeners, and chains of the inbound one, are named. */
export function listenerName(bind: string, port: number): string {
  return `${bind}_${port}`;
}

/** A port of an address, or a Unix socket. */
export function addressOf(bind: string, port: number) {
  const path = unixPath(bind);
  if (path !== undefined) return { address: { case: "pipe", value: { path } } } as const;
  const portSpecifier = { case: "portValue", value: port } as const;
  return { address: { case: "socketAddress", value: { address: bind, portSpecifier } } } as const;
}

/** What a listener on all addresses, or on loopback, listens on beside: the same of the other family. */
export function additionalAddresses(bind: string, port: number, client: ListenerClient) {
  if (!client.settings.dualStack) return [];
  if (bind === client.wildcard) return [{ address: addressOf("::", port) }];
  return bind === client.localhost ? [{ address: addressOf("::1", port) }] : [];
}
