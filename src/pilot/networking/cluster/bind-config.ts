import type { AddressFamilies } from "../../model/proxy/address-families.ts";
import { socketAddress } from "../address.ts";

const anyPort = 0;
const sources = { v4: "127.0.0.6", v6: "::6" } as const;

/**
 * Connections of these address families to the workload itself start here: the kernel's rules let them through, where
 * others would be redirected to the proxy again.
 */
export function bindConfigOf(families: AddressFamilies) {
  return {
    sourceAddress: socketAddress(sources[families === "v6" ? "v6" : "v4"], anyPort),
    extraSourceAddresses: families === "dual" ? [{ address: socketAddress(sources.v6, anyPort) }] : [],
  };
}
