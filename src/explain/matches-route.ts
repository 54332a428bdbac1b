import type {
  HeaderMatcher,
  QueryParameterMatcher,
  RouteMatch,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import { matchesRegex, matchesString } from "./matches-string.ts";
import type { Request } from "./request.ts";
import { headerOf, pathOf, queryOf } from "./request.ts";

/** Would Envoy take this route for the request? */
export function matchesRoute(match: RouteMatch, request: Request): boolean {
  return (
    matchesPath(match, pathOf(request)) &&
    match.headers.every((header) => matchesHeader(header, request)) &&
    match.queryParameters.every((parameter) => matchesQueryParameter(parameter, queryOf(request)))
  );
}

function matchesPath({ pathSpecifier, caseSensitive }: RouteMatch, path: string): boolean {
  const fold = (text: string) => (caseSensitive === false ? text.toLowerCase() : text);
  switch (pathSpecifier.case) {
    case "prefix":
      return fold(path).startsWith(fold(pathSpecifier.value));
    case "path":
      return fold(path) === fold(pathSpecifier.value);
    case "pathSeparatedPrefix":
      return `${fold(path)}/`.startsWith(`${fold(pathSpecifier.value)}/`);
    case "safeRegex":
      return matchesRegex(pathSpecifier.value.regex, path);
    case "connectMatcher":
    case "pathMatchPolicy":
    case undefined:
    default:
      return false;
  }
}

/** A missing header matches nothing, inverted or not, unless it is to be taken as empty or its absence is asked for. */
function matchesHeader(matcher: HeaderMatcher, request: Request): boolean {
  const { headerMatchSpecifier: specifier, invertMatch } = matcher;
  const value = headerOf(request, matcher.name) ?? (matcher.treatMissingHeaderAsEmpty ? "" : undefined);
  if (specifier.case === "presentMatch") return (value !== undefined) === (specifier.value !== invertMatch);
  if (value === undefined) return false;
  if (specifier.case === "stringMatch") return matchesString(specifier.value, value) !== invertMatch;
  return false;
}

function matchesQueryParameter(matcher: QueryParameterMatcher, query: URLSearchParams): boolean {
  const { queryParameterMatchSpecifier: specifier, name } = matcher;
  const value = query.get(name);
  if (specifier.case === "presentMatch") return (value !== null) === specifier.value;
  if (specifier.case === "stringMatch") return value !== null && matchesString(specifier.value, value);
  return value !== null;
}
