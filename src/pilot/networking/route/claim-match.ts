import type { NamedMatch, StringMatch } from "../../model/traffic/virtual-service.ts";
import { patternOf } from "./pattern.ts";

const claims = "@request.auth.claims";

/**
 * The path to a claim of the request's token, where a match names a claim instead of a header. It is written
 * `@request.auth.claims.a.b`, or `@request.auth.claims[a][b]` for names with dots. Undefined for a header.
 */
export function claimPathOf(name: string): readonly string[] | undefined {
  if (!name.startsWith(claims)) return undefined;
  const rest = name.slice(claims.length);
  if (rest.startsWith(".")) return rest.slice(1).split(".");
  return rest.startsWith("[") && rest.endsWith("]") ? rest.slice(1, -1).split("][") : undefined;
}

/**
 * Reads claims from the metadata of the JWT filter. A claim may be a string, or a list with the string. None for a
 * header.
 */
export function claimMatchersOf({ name, match }: NamedMatch, invert: boolean) {
  const claim = claimPathOf(name);
  if (claim === undefined) return [];
  const path = ["payload", ...claim].map((value) => ({ segment: { case: "key", value } as const }));
  return [{ filter: "envoy.filters.http.jwt_authn", path, value: { matchPattern: valueMatchOf(match) }, invert }];
}

function valueMatchOf(match: StringMatch) {
  if (match.type === "present") return { case: "presentMatch", value: true } as const;
  const text = { matchPattern: { case: "stringMatch", value: { matchPattern: patternOf(match) } } } as const;
  const list = {
    matchPattern: { case: "listMatch", value: { matchPattern: { case: "oneOf", value: text } } },
  } as const;
  return { case: "orMatch", value: { valueMatchers: [list, text] } } as const;
}
