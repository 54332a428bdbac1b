import type { AddressFamilies } from "../../model/proxy/address-families.ts";
import { socketAddress } from "../address.ts";

const anyPort = 0;
const sources = { v4: "127.0.0.6", v6: "::6" } as const;

/**
 * Source addresses of connections to the workload itself, for these address families. The kernel's redirect rules let
 * these addresses through; other connections would be redirected to the proxy again.
 */
export function bindConfigOf(families: AddressFamilies) {
  return {
    sourceAddress: socketAddress(sources[families === "v6" ? "v6" : "v4"], anyPort),
    extraSourceAddresses: families === "dual" ? [{ address: socketAddress(sources.v6, anyPort) }] : [],
  };
}
