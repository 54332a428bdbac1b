const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`, "u");
const group = /^[\da-f]{1,4}$/iu;

function isIpv4(text: string): boolean {
  return ipv4.test(text);
}

/** Eight groups of hex digits; `::` stands for the missing ones, and the last two may be written as IPv4. */
function isIpv6(text: string): boolean {
  const tail = text.slice(text.lastIndexOf(":") + 1);
  const inHex = isIpv4(tail) && tail !== text ? `${text.slice(0, -tail.length)}0:0` : text;
  const halves = inHex.split("::");
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (halves.length > 2 || !groups.every((part) => group.test(part))) return false;
  return halves.length === 2 ? groups.length <= 7 : groups.length === 8;
}

export function isIpAddress(text: string): boolean {
  return isIpv4(text) || isIpv6(text);
}

export function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,3}$/u.test(bits)) return false;
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

/** One address, or a whole subnet. */
export function isSubnet(text: string): boolean {
  return isIpAddress(text) || isCidr(text);
}

/** `unix://@abstract`, or `unix://` and an absolute path of a file. */
export function isUnixAddress(text: string): boolean {
  return /^unix:\/\/(?:@.+|\/(?:.*[^/])?)$/u.test(text) && text !== "unix:///";
}
