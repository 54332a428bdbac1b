import type {
  QueryParameterMatcher,
  RouteMatch,
  RouteMatch_TlsContextMatchOptions,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { MetadataMatcher } from "#gen/envoy/type/matcher/v3/metadata_pb.js";
import { metadataFactIn } from "../metadata-fact.ts";
import { isGrpc, pathOf, queryOf, type SimulatedRequest, showsCertificate } from "../simulated-request.ts";
import { exactly, headerFact, presence, unknown } from "./header-fact.ts";
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
    ...dynamicMetadata.map((matcher) => metadataFact(matcher, request)),
  ];
}

/** Claims of tokens, above all. */
function metadataFact(matcher: MetadataMatcher, { metadata }: SimulatedRequest): Fact {
  if (metadata === undefined) return unknown(`metadata of ${matcher.filter}`);
  return metadataFactIn(matcher, metadata);
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
