import { isIP } from "node:net";
import { MeshError } from "../../lib/errors.ts";
import { forbiddenRangeOf } from "./forbidden-address.ts";

/** The targets that the operator of this server allows. */
export interface TargetRules {
  /** Plain HTTP, so that anybody on the way can replace the keys. */
  readonly allowHttp: boolean;
  /** Loopback, link-local and metadata-service addresses. */
  readonly allowLocal: boolean;
}

/** Resolves a host name to its addresses. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** A URL whose host was resolved once. The caller connects to this address, so that a second answer of DNS changes nothing. */
export interface CheckedTarget {
  readonly url: URL;
  readonly address: string;
  /** The name that the certificate must have; undefined if the URL has an address instead of a name. */
  readonly serverName: string | undefined;
}

/** Throws `bad-config` for a URL that the rules forbid. `new URL` has already normalised hosts such as `0x7f.1`. */
export function checkUrl(text: string, { allowHttp }: TargetRules): URL {
  const url = URL.parse(text);
  if (url === null) throw new MeshError("bad-config", "the place of the keys is not a URL");
  if (url.username !== "" || url.password !== "") {
    throw new MeshError("bad-config", "a URI of keys must not contain a user name or password");
  }
  if (url.protocol === "https:" || (url.protocol === "http:" && allowHttp)) return url;
  const hint = url.protocol === "http:" ? "; --jwks-allow-http allows http" : "";
  throw new MeshError("bad-config", `keys are fetched over https only, not over ${url.protocol.slice(0, -1)}${hint}`);
}

/** Resolves the host, and throws `bad-config` if none of its addresses is allowed. */
export async function checkTarget(url: URL, rules: TargetRules, resolve: Resolve): Promise<CheckedTarget> {
  const host = url.hostname.replace(/^\[|\]$/gu, "");
  const isAddress = isIP(host) !== 0;
  const addresses = isAddress ? [host] : await resolve(host);
  const address = rules.allowLocal ? addresses[0] : addresses.find((each) => forbiddenRangeOf(each) === undefined);
  if (address !== undefined) return { url, address, serverName: isAddress ? undefined : host };
  const [first] = addresses;
  if (first === undefined) throw new MeshError("unavailable", `${host} has no address`);
  const range = forbiddenRangeOf(first) ?? "";
  throw new MeshError(
    "bad-config",
    `the address ${first} of ${host} is forbidden (${range}); --jwks-allow-local allows it`,
  );
}
