import { compareTexts } from "../../../lib/compare.ts";
import type { HttpMatch, NamedMatch, PathMatch, StringMatch } from "../../model/traffic/virtual-service.ts";
import { claimMatchersOf, claimPathOf } from "./claim-match.ts";
import { patternOf } from "./pattern.ts";

/** Undefined matches every request. */
export function routeMatchOf(match: HttpMatch | undefined) {
  if (match === undefined) return { pathSpecifier: { case: "prefix", value: "/" } as const };
  return {
    pathSpecifier: pathSpecifierOf(match.uri),
    caseSensitive: !match.ignoreUriCase,
    headers: headersOf(match),
    dynamicMetadata: claimsOf(match),
    queryParameters: match.queryParams.map(queryParameterOf),
  };
}

/** The path as text, for names of spans. */
export function pathPatternOf(match: HttpMatch | undefined): string {
  const uri = match?.uri;
  if (uri === undefined || uri.type === "present" || uri.type === "segments") return "/*";
  return uri.type === "prefix" ? `${uri.value}*` : uri.value;
}

function pathSpecifierOf(uri: PathMatch) {
  if (uri.type === "segments") return { case: "pathSeparatedPrefix", value: uri.value } as const;
  if (uri.type === "present") return { case: "prefix", value: "/" } as const;
  if (uri.type === "exact") return { case: "path", value: uri.value } as const;
  return patternOf(uri);
}

/** Named headers sorted by name, then the pseudo-headers. */
function headersOf(match: HttpMatch) {
  const named = [
    ...match.headers.filter(isHeader).map((header) => headerOf(header, false)),
    ...match.withoutHeaders.filter(isHeader).map((header) => headerOf(header, true)),
  ].toSorted((a, b) => compareTexts(a.name, b.name));
  return [
    ...named,
    ...pseudoHeader(":method", match.method),
    ...pseudoHeader(":authority", match.authority),
    ...pseudoHeader(":scheme", match.scheme),
  ];
}

function isHeader({ name }: NamedMatch): boolean {
  return claimPathOf(name) === undefined;
}

function claimsOf({ headers, withoutHeaders }: HttpMatch) {
  return [
    ...headers.flatMap((header) => claimMatchersOf(header, false)),
    ...withoutHeaders.flatMap((header) => claimMatchersOf(header, true)),
  ];
}

function pseudoHeader(name: string, match: StringMatch | undefined) {
  return match === undefined ? [] : [headerOf({ name, match }, false)];
}

function headerOf({ name, match }: NamedMatch, invert: boolean) {
  return {
    name,
    headerMatchSpecifier: matchSpecifierOf(match),
    invertMatch: invert,
    // A missing header does not have the unwanted value. Envoy rejects this flag for presence matches.
    treatMissingHeaderAsEmpty: invert && match.type !== "present",
  };
}

function queryParameterOf({ name, match }: NamedMatch) {
  return { name, queryParameterMatchSpecifier: matchSpecifierOf(match) };
}

function matchSpecifierOf(match: StringMatch) {
  if (match.type === "present") return { case: "presentMatch", value: true } as const;
  return { case: "stringMatch", value: { matchPattern: patternOf(match) } } as const;
}
