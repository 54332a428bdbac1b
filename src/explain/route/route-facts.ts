import type {
  HeaderMatcher,
  QueryParameterMatcher,
  RouteMatch,
  RouteMatch_TlsContextMatchOptions,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import { headerOf, isGrpc, pathOf, queryOf, type SimulatedRequest, showsCertificate } from "../simulated-request.ts";
import { compare, type Fact, type TextPattern, textPatternOf } from "./text-pattern.ts";

/** All conditions of a route. Envoy takes the route if every condition holds. Random fractions are left out. */
export function factsOf(match: RouteMatch, request: SimulatedRequest): readonly Fact[] {
  const { headers, queryParameters, grpc, tlsContext, dynamicMetadata } = match;
  return [
    ...(takesEveryPath(match) ? [] : [pathFact(match, request)]),
    ...headers.map((matcher) => headerFact(matcher, request)),
    ...queryParameters.map((matcher) => queryFact(matcher, queryOf(request))),
    ...(grpc === undefined ? [] : [grpcFact(request)]),
    ...(tlsContext === undefined ? [] : tlsFacts(tlsContext, request)),
    ...dynamicMetadata.map(({ filter }) => unknown(`metadata of ${filter}`)),
  ];
}

function takesEveryPath({ pathSpecifier }: RouteMatch): boolean {
  return pathSpecifier.case === "prefix" && pathSpecifier.value === "/";
}

function pathFact({ pathSpecifier, caseSensitive }: RouteMatch, request: SimulatedRequest): Fact {
  const path = (type: TextPattern["type"], value: string) =>
    compare("path", pathOf(request), { type, value, ignoreCase: caseSensitive === false });
  switch (pathSpecifier.case) {
    case "prefix":
      return path("prefix", pathSpecifier.value);
    case "path":
      return path("exact", pathSpecifier.value);
    case "pathSeparatedPrefix":
      return path("under", pathSpecifier.value);
    case "safeRegex":
      return path("regex", pathSpecifier.value.regex);
    case "connectMatcher":
      return compare("method", request.method, exactly("CONNECT"));
    case "pathMatchPolicy":
      return unknown("the path match of an extension");
    case undefined:
    default:
      return { holds: false, text: "it matches no path" };
  }
}

/**
 * A missing header matches nothing, inverted or not, unless it counts as empty or the condition requires its absence.
 */
function headerFact(matcher: HeaderMatcher, request: SimulatedRequest): Fact {
  const { headerMatchSpecifier: specifier, invertMatch, treatMissingHeaderAsEmpty } = matcher;
  const subject = matcher.name.startsWith(":") ? matcher.name.slice(1) : `header ${matcher.name}`;
  const value = headerOf(request, matcher.name) ?? (treatMissingHeaderAsEmpty ? "" : undefined);
  if (specifier.case === "presentMatch" || specifier.case === undefined) {
    return presence(subject, value !== undefined, (specifier.value ?? true) !== invertMatch);
  }
  if (value === undefined) return presence(subject, false, true);
  if (specifier.case === "rangeMatch") return inverted(rangeFact(subject, value, specifier.value), invertMatch);
  const pattern = headerPattern(specifier);
  return pattern === undefined ? unknown(subject) : inverted(compare(subject, value, pattern), invertMatch);
}

/** All but one of these are older forms of the string match. */
function headerPattern(
  specifier: Exclude<HeaderMatcher["headerMatchSpecifier"], { case: "presentMatch" | "rangeMatch" | undefined }>,
): TextPattern | undefined {
  switch (specifier.case) {
    case "stringMatch":
      return textPatternOf(specifier.value);
    case "exactMatch":
      return exactly(specifier.value);
    case "prefixMatch":
      return { type: "prefix", value: specifier.value, ignoreCase: false };
    case "suffixMatch":
      return { type: "suffix", value: specifier.value, ignoreCase: false };
    case "containsMatch":
      return { type: "contains", value: specifier.value, ignoreCase: false };
    case "safeRegexMatch":
    default:
      return { type: "regex", value: specifier.value.regex, ignoreCase: false };
  }
}

function rangeFact(subject: string, value: string, { start, end }: { start: bigint; end: bigint }): Fact {
  const holds = /^-?\d+$/u.test(value) && BigInt(value) >= start && BigInt(value) < end;
  return { holds, text: `${subject} is ${holds ? "" : "not "}in ${start}…${end - 1n}` };
}

function queryFact(matcher: QueryParameterMatcher, query: URLSearchParams): Fact {
  const { queryParameterMatchSpecifier: specifier, name } = matcher;
  const subject = `query parameter ${name}`;
  const value = query.get(name);
  if (specifier.case !== "stringMatch") return presence(subject, value !== null, specifier.value ?? true);
  if (value === null) return presence(subject, false, true);
  const pattern = textPatternOf(specifier.value);
  return pattern === undefined ? unknown(subject) : compare(subject, value, pattern);
}

function grpcFact(request: SimulatedRequest): Fact {
  const holds = isGrpc(request);
  return { holds, text: `it is ${holds ? "" : "not "}a gRPC call` };
}

/** A presented certificate counts as valid. */
function tlsFacts(
  { presented, validated }: RouteMatch_TlsContextMatchOptions,
  request: SimulatedRequest,
): readonly Fact[] {
  const shown = showsCertificate(request);
  return [presented, validated]
    .filter((wanted) => wanted !== undefined)
    .map((wanted) => presence("a client certificate", shown, wanted));
}

function presence(subject: string, present: boolean, wanted: boolean): Fact {
  return { holds: present === wanted, text: `${subject} is ${present ? "present" : "missing"}` };
}

function inverted({ holds, text }: Fact, invert: boolean): Fact {
  return { holds: holds !== invert, text };
}

function exactly(value: string): TextPattern {
  return { type: "exact", value, ignoreCase: false };
}

function unknown(subject: string): Fact {
  return { holds: false, text: `${subject} is not known here` };
}
