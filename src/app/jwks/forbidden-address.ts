import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Addresses that are open to this process only because of where it runs. A user's URI must not borrow that access. */
const forbidden: readonly (readonly [range: string, ...networks: readonly string[]])[] = [
  ["loopback", "127.0.0.0/8", "::1/128"],
  ["unspecified", "0.0.0.0/8", "::/128"],
  ["link-local", "169.254.0.0/16", "fe80::/10"],
  // The metadata services of clouds that are not link-local: Alibaba, Azure, Oracle, AWS, Google.
  [
    "metadata-service",
    "100.100.100.200/32",
    "168.63.129.16/32",
    "192.0.0.192/32",
    "fd00:ec2::254/128",
    "fd20:ce::254/128",
  ],
  ["multicast or reserved", "224.0.0.0/3", "ff00::/8"],
];

const lists = forbidden.map(([range, ...networks]) => [range, blockListOf(networks)] as const);

/**
 * The range of an address that key sets must not come from; undefined if the address is allowed. Addresses of private
 * networks are allowed, because issuers in the cluster have them. An IPv6 address that contains an IPv4 address is
 * judged by both.
 */
export function forbiddenRangeOf(address: string): string | undefined {
  const [plain = ""] = address.split("%");
  const family = isIPv4(plain) ? "ipv4" : isIPv6(plain) ? "ipv6" : undefined;
  if (family === undefined) return "unreadable";
  return lists.find(([, list]) => list.check(plain, family))?.[0];
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits = ""] = network.split("/");
    if (isIPv6(address)) list.addSubnet(address, Number(bits), "ipv6");
    else addIpv4(list, address, Number(bits));
  }
  return list;
}

/** The IPv4 network, and the IPv6 networks that lead to it: mapped, compatible, NAT64 (two prefixes) and 6to4. */
function addIpv4(list: BlockList, address: string, bits: number): void {
  list.addSubnet(address, bits, "ipv4");
  for (const prefix of ["::ffff:", "::", "64:ff9b::", "64:ff9b:1::"])
    list.addSubnet(`${prefix}${address}`, 96 + bits, "ipv6");
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const hex = [(a << 8) | b, (c << 8) | d].map((part) => part.toString(16));
  list.addSubnet(`2002:${hex.join(":")}::`, 16 + bits, "ipv6");
}
