import type { CidrRange } from "#gen/envoy/config/core/v3/address_pb.js";
import { BlockList, isIpv4, isIpv6 } from "../../lib/ip-address.ts";

/** Whether the range holds the address. Ranges of one family hold no address of the other. */
export function holdsAddress({ addressPrefix, prefixLen = 0 }: CidrRange, address: string): boolean {
  const family = familyOf(addressPrefix);
  if (family === undefined || familyOf(address) !== family) return false;
  const range = new BlockList();
  range.addSubnet(addressPrefix, Math.min(prefixLen, family === "ipv4" ? 32 : 128), family);
  return range.check(withoutZone(address), family);
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  if (isIpv4(address)) return "ipv4";
  return isIpv6(address) ? "ipv6" : undefined;
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/u, "");
}
