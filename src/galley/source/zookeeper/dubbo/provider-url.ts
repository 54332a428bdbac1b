import { isIpAddress, isPortNumber } from "../../../../config/grammar/address.ts";

/** A Dubbo provider, from its URL: `dubbo://10.0.0.7:20880/com.acme.Cart?group=g&version=1.0.0&…`. */
export interface Provider {
  readonly address: string;
  readonly port: number;
  readonly parameters: ReadonlyMap<string, string>;
}

export type ProviderReading =
  | { readonly type: "provider"; readonly provider: Provider }
  /** A provider with a protocol that is not requested. */
  | { readonly type: "foreign" }
  | { readonly type: "malformed"; readonly problem: string };

const form =
  /^(?<scheme>[a-z][-+.a-z0-9]*):\/\/(?:[^@/?]*@)?(?<host>\[[^\]]*\]|[^:/?]*):(?<port>\d*)(?:\/[^?]*)?\?(?<query>.*)$/isu;

/** Reads the name of a provider's node: a URL, percent-encoded for node names. */
export function readProvider(node: string, schemes: ReadonlySet<string>): ProviderReading {
  const url = decoded(node);
  if (url === undefined) return malformed("has an invalid percent encoding");
  const scheme = /^(?<scheme>[^:]*):\/\//u.exec(url)?.groups?.["scheme"]?.toLowerCase();
  if (scheme === undefined) return malformed("is no URL");
  if (!schemes.has(scheme)) return { type: "foreign" };
  const { host = "", port = "", query } = form.exec(url)?.groups ?? {};
  if (query === undefined) return malformed("is not of the form SCHEME://ADDRESS:PORT/PATH?KEY=VALUE");
  const address = host.replace(/^\[(.*)\]$/u, "$1");
  if (!isIpAddress(address)) return malformed(`is at "${address}", which is not an IP address`);
  const number = Number(port);
  if (!isPortNumber(number)) return malformed(`has port ${port}, which is not between 1 and 65535`);
  const pairs = query.split("&").filter((pair) => pair !== "");
  const bare = pairs.find((pair) => !pair.includes("="));
  if (bare !== undefined) return malformed(`has the parameter "${bare}" without a value`);
  const parameters = new Map(pairs.map((pair): [string, string] => split(pair, "=")));
  return { type: "provider", provider: { address, port: number, parameters } };
}

/** The text before the separator and the text after it. */
export function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function malformed(problem: string): ProviderReading {
  return { type: "malformed", problem };
}
