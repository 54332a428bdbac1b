import type { HttpMatch, NamedMatch, PathMatch, StringMatch } from "../../model/traffic/virtual-service.ts";
import { claimPathOf } from "../route/claim-match.ts";

/**
 * A match as gRPC clients can judge it: the union of these. They see neither pseudo-headers nor query parameters, but
 * what those are is known beforehand: a call is a POST without query to one of `authorities`. None if it cannot match.
 */
export function grpcMatchesOf(match: HttpMatch, authorities: readonly string[]): readonly HttpMatch[] {
  const { method, scheme, authority, queryParams } = match;
  if (!accepts(method, ["POST"]) || !accepts(scheme, ["http"]) || !accepts(authority, authorities)) return [];
  if (queryParams.length > 0 || match.headers.some(isClaim)) return [];
  const headers = match.headers.map(lowerCased);
  const decided = { ...match, method: undefined, scheme: undefined, authority: undefined };
  const without = alternatives(match.withoutHeaders.filter((header) => !isClaim(header)).map(lowerCased));
  return pathsOf(match.uri).flatMap((uri) =>
    without.map((withoutHeaders) => ({ ...decided, uri, headers, withoutHeaders })),
  );
}

/** Proxyless clients do not validate tokens, so no call has a claim. */
function isClaim({ name }: NamedMatch): boolean {
  return claimPathOf(name) !== undefined;
}

/** Clients do not support prefixes of segments: they match the path itself, or a path below it. */
function pathsOf(uri: PathMatch): readonly StringMatch[] {
  if (uri.type !== "segments") return [uri];
  return [
    { type: "exact", value: uri.value },
    { type: "prefix", value: `${uri.value}/` },
  ];
}

/**
 * "Without this value" also accepts a request without the header. For gRPC clients an inverted match of a missing
 * header is false. So each condition becomes two: the header is missing, or it has another value.
 */
function alternatives(conditions: readonly NamedMatch[]): readonly (readonly NamedMatch[])[] {
  const [first, ...rest] = conditions;
  if (first === undefined) return [[]];
  const missing: NamedMatch = { name: first.name, match: { type: "present" } };
  const ways = first.match.type === "present" ? [first] : [missing, first];
  const others = alternatives(rest);
  return ways.flatMap((way) => others.map((other) => [way, ...other]));
}

function lowerCased({ name, match }: NamedMatch): NamedMatch {
  return { name: name.toLowerCase(), match };
}

function accepts(match: StringMatch | undefined, texts: readonly string[]): boolean {
  if (match === undefined || match.type === "present") return true;
  const { type, value } = match;
  return texts.some((text) => {
    if (type === "exact") return text === value;
    return type === "prefix" ? text.startsWith(value) : fits(value, text);
  });
}

/** RE2's own notations, which JavaScript does not read, match nothing. */
function fits(regex: string, text: string): boolean {
  try {
    return new RegExp(`^(?:${regex})$`, "u").test(text);
  } catch {
    return false;
  }
}
