const ipv4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const ipv6 = /^[\da-f:]*:[\da-f:.]*$/i;

/** True for addresses; false for host names, ranges and paths. Shape only: numbers are checked where users are told. */
export function isIpAddress(text: string): boolean {
  return ipv4.test(text) || ipv6.test(text);
}

const unixScheme = "unix://";

/** The path of a `unix://` address, undefined for others. */
export function unixPath(address: string): string | undefined {
  return address.startsWith(unixScheme) ? address.slice(unixScheme.length) : undefined;
}
