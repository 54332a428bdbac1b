import { addressOf } from "../address.ts";
import type { ListenerClient } from "./listener-client.ts";

/** `address_port`: how listeners, and chains of the inbound one, are named. */
export function listenerName(bind: string, port: number): string {
  return `${bind}_${port}`;
}

/** Additional addresses of a listener on all addresses, or on loopback: the same address of the other family. */
export function additionalAddresses(
  bind: string,
  port: number,
  client: Pick<ListenerClient, "wildcard" | "localhost" | "settings">,
) {
  if (!client.settings.dualStack) return [];
  if (bind === client.wildcard) return [{ address: addressOf("::", port) }];
  return bind === client.localhost ? [{ address: addressOf("::1", port) }] : [];
}
