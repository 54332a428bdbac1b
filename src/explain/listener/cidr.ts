import type { CidrRange } from "#gen/envoy/config/core/v3/address_pb.js";
import { isIpv4, isIpv6 } from "../../lib/ip-address.ts";

/** Whether the range holds the address. Ranges of one family hold no address of the other. */
export function holdsAddress({ addressPrefix, prefixLen = 0 }: CidrRange, address: string): boolean {
  const network = bitsOf(addressPrefix);
  const host = bitsOf(address);
  return network !== undefined && host?.length === network.length && host.startsWith(network.slice(0, prefixLen));
}

/** An address as its 32 or 128 binary digits; undefined when it is none. */
function bitsOf(address: string): string | undefined {
  if (isIpv4(address))
    return address
      .split(".")
      .map((part) => binary(Number(part), 8))
      .join("");
  if (isIpv6(address))
    return groupsOf(address)
      .map((group) => binary(group, 16))
      .join("");
  return undefined;
}

function binary(value: number, digits: number): string {
  return value.toString(2).padStart(digits, "0");
}

/** The eight groups of an IPv6 address; `::` stands for as many zeros as are missing. */
function groupsOf(address: string): readonly number[] {
  const [start = "", end = ""] = withoutZone(address).split("::", 2).map(hexadecimal);
  const before = readGroups(start);
  const after = readGroups(end);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/u, "");
}

/** `::ffff:10.0.0.1` ends in an IPv4 address: two groups. */
function hexadecimal(part: string): string {
  return part.replace(/(?<a>\d+)\.(?<b>\d+)\.(?<c>\d+)\.(?<d>\d+)$/u, (_, ...numbers) => {
    const [a = 0, b = 0, c = 0, d = 0] = numbers.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

function readGroups(part: string): readonly number[] {
  return part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
}
