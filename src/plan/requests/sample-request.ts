import type {
  HeaderMatcher,
  QueryParameterMatcher,
  RouteMatch,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import { factsOf } from "../../explain/route/route-facts.ts";
import { exactly } from "../../explain/route/header-fact.ts";
import { textPatternOf } from "../../explain/route/text-pattern.ts";
import type { SimulatedRequest } from "../../explain/simulated-request.ts";
import { sampleText } from "./sample-text.ts";

/** The simplest request that a route matches, or undefined if none was found: then explain is the judge. */
export function sampleRequest(match: RouteMatch, base: SimulatedRequest): SimulatedRequest | undefined {
  const path = samplePath(match);
  if (path === undefined) return undefined;
  const headers: Record<string, string> = {};
  let { host } = base;
  for (const matcher of match.headers) {
    const value = sampleHeader(matcher);
    if (value === undefined) continue;
    if (matcher.name === ":authority") host = value;
    else if (!matcher.name.startsWith(":")) headers[matcher.name.toLowerCase()] = value;
  }
  if (match.grpc !== undefined) headers["content-type"] = "application/grpc";
  const query = match.queryParameters.flatMap(sampleQuery).join("&");
  const request = { ...base, host, headers, path: query === "" ? path : `${path}?${query}` };
  return methodsFor(match, base)
    .map((method) => ({ ...request, method }))
    .find((each) => factsOf(match, each).every(({ holds }) => holds));
}

/** Envoy answers 400 to a method that HTTP does not define, whatever its routes say. */
const knownMethods = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

function methodsFor({ headers }: RouteMatch, { method }: SimulatedRequest): readonly string[] {
  return headers.some(({ name }) => name === ":method") ? knownMethods : [method];
}

function samplePath({ pathSpecifier: { case: type, value } }: RouteMatch): string | undefined {
  switch (type) {
    case "prefix":
    case "path":
    case "pathSeparatedPrefix":
      return value === "" ? "/" : value;
    case "safeRegex":
      return sampleText({ type: "regex", value: value.regex, ignoreCase: false });
    case "connectMatcher":
    case "pathMatchPolicy":
    case undefined:
    default:
      return undefined;
  }
}

/** Undefined where the header is best left out. */
function sampleHeader({ headerMatchSpecifier: specifier, invertMatch }: HeaderMatcher): string | undefined {
  const value = sampleValue(specifier);
  if (specifier.case === "presentMatch") return specifier.value === invertMatch ? undefined : "x";
  return invertMatch && value !== undefined ? `no-${value}` : value;
}

function sampleValue(specifier: HeaderMatcher["headerMatchSpecifier"]): string | undefined {
  switch (specifier.case) {
    case "stringMatch": {
      const pattern = textPatternOf(specifier.value);
      return pattern && sampleText(pattern);
    }
    case "exactMatch":
    case "prefixMatch":
    case "suffixMatch":
    case "containsMatch":
      return sampleText(exactly(specifier.value));
    case "safeRegexMatch":
      return sampleText({ type: "regex", value: specifier.value.regex, ignoreCase: false });
    case "rangeMatch":
      return String(specifier.value.start);
    case "presentMatch":
    case undefined:
    default:
      return "x";
  }
}

function sampleQuery({ name, queryParameterMatchSpecifier: specifier }: QueryParameterMatcher): readonly string[] {
  if (specifier.case === "presentMatch") return specifier.value ? [`${name}=x`] : [];
  const pattern = specifier.case === "stringMatch" ? textPatternOf(specifier.value) : undefined;
  return [`${name}=${encodeURIComponent((pattern && sampleText(pattern)) ?? "x")}`];
}
