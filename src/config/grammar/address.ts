import { isIpv4, isIpv6 } from "../../lib/ip-address.ts";

/** Without a zone (`fe80::1%eth0`): Envoy refuses addresses that have one. */
export function isIpAddress(text: string): boolean {
  return isIpv4(text) || isZonelessIpv6(text);
}

function isZonelessIpv6(text: string): boolean {
  return isIpv6(text) && !text.includes("%");
}

export function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,3}$/u.test(bits)) return false;
  return (isIpv4(address) && Number(bits) <= 32) || (isZonelessIpv6(address) && Number(bits) <= 128);
}

/** One address, or a whole subnet. */
export function isSubnet(text: string): boolean {
  return isIpAddress(text) || isCidr(text);
}

/** Largest length of a socket path in the kernel, without the terminating byte. */
const maxSocketPath = 107;

/** `unix://@abstract`, or `unix://` and an absolute path of a file. */
export function isUnixAddress(text: string): boolean {
  return (
    Buffer.byteLength(text) <= "unix://".length + maxSocketPath &&
    !text.includes("\0") &&
    /^unix:\/\/(?:@.+|\/(?:.*[^/])?)$/u.test(text) &&
    text !== "unix:///"
  );
}

/** Whether a number is a valid port to listen on and to connect to. */
export function isPortNumber(port: number | undefined): port is number {
  return port !== undefined && Number.isInteger(port) && port >= 1 && port <= 65_535;
}
