/** An address or a subnet, as Envoy writes it. */
export function cidrRangeOf(subnet: string) {
  const { address, bits } = split(subnet);
  return { addressPrefix: address, prefixLen: bits };
}

/** Equal for texts that mean the same addresses: `1.2.3.4/8` and `1.5.6.7/8`. */
export function subnetId(subnet: string): string {
  const { address, bits, size } = split(subnet);
  return `${valueOf(address) >> BigInt(size - bits)}/${bits} of ${size}`;
}

/** True for `0.0.0.0` and `::`, whatever the mask: no condition at all. */
export function isUnspecified(subnet: string): boolean {
  return valueOf(split(subnet).address) === 0n;
}

/** An address that other hosts can call; private ones count. */
export function isGlobalUnicast(address: string): boolean {
  const [first = 0, second = 0] = address.split(".").map(Number);
  if (!address.includes(":")) {
    return first !== 0 && first !== 127 && first < 224 && !(first === 169 && second === 254);
  }
  const high = valueOf(address) >> 112n;
  const local = valueOf(address) <= 1n || (high & 0xffc0n) === 0xfe80n;
  return !local && high >> 8n !== 0xffn;
}

function split(subnet: string) {
  const [address = "", bits] = subnet.split("/");
  const size = address.includes(":") ? 128 : 32;
  return { address, size, bits: bits === undefined ? size : Number(bits) };
}

function valueOf(address: string): bigint {
  if (!address.includes(":")) return address.split(".").reduce((sum, octet) => (sum << 8n) + BigInt(octet), 0n);
  // The URL parser writes every form of an IPv6 address in the same way, without dotted parts.
  const [head = [], tail = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":")));
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => "0"), ...tail];
  return groups.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}
