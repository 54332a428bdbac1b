import { errorUnless, type Finding } from "../finding.ts";
import { isIpAddress } from "../grammar/address.ts";
import { isFqdn } from "../grammar/names.ts";
import { portNumber } from "./port.ts";

/** `host:port`, with an IPv6 address in brackets. May be absent. */
export function hostPort(text: string, path: string): readonly Finding[] {
  const parts = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[^:]+)):(?<port>\d{1,5})$/u.exec(text)?.groups;
  const host = parts?.["ipv6"] ?? parts?.["host"] ?? "";
  const isGood = (isFqdn(host) || isIpAddress(host)) && portNumber(Number(parts?.["port"]), path).length === 0;
  return errorUnless(text === "" || isGood, path, {
    code: "bad-address",
    message: `"${text}" is not a host and a port`,
    hint: "write host:port",
  });
}
