import type {
  HTTPMatchRequest,
  StringMatch as IstioStringMatch,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { resolveGateway } from "../../../../config/grammar/gateway-reference.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import type { HttpMatch, NamedMatch, PathMatch, StringMatch } from "../../../model/traffic/virtual-service.ts";
import type { RouteSource } from "../route-source.ts";
import { stringMatchOf } from "./string-match.ts";

export function httpMatchOf(match: HTTPMatchRequest, { namespace, prefixes }: RouteSource): HttpMatch {
  return {
    port: match.port,
    gateways: match.gateways.map((gateway) => resolveGateway(gateway, namespace)),
    sourceLabels: match.sourceLabels,
    sourceNamespace: match.sourceNamespace,
    name: match.name,
    statPrefix: match.statPrefix,
    uri: pathMatchOf(match.uri, prefixes),
    ignoreUriCase: match.ignoreUriCase,
    method: optionalMatchOf(match.method),
    authority: optionalMatchOf(match.authority),
    scheme: optionalMatchOf(match.scheme),
    headers: namedMatchesOf(match.headers),
    withoutHeaders: namedMatchesOf(match.withoutHeaders),
    queryParams: namedMatchesOf(match.queryParams),
  };
}

/**
 * Paths that Envoy accepts as `path_separated_prefix`: a character after the slash, no slash at the end, no query or
 * fragment.
 */
const segments = /^[^?#]+[^?#/]$/u;

function pathMatchOf(uri: IstioStringMatch | undefined, prefixes: RouteSource["prefixes"]): PathMatch {
  const match: StringMatch = uri === undefined ? { type: "present" } : stringMatchOf(uri);
  if (match.type !== "prefix" || prefixes === "texts") return match;
  const value = match.value.replace(/\/$/u, "");
  return segments.test(value) ? { type: "segments", value } : match;
}

function optionalMatchOf(match: IstioStringMatch | undefined): StringMatch | undefined {
  return match === undefined ? undefined : stringMatchOf(match);
}

function namedMatchesOf(matches: Readonly<Record<string, IstioStringMatch>>): readonly NamedMatch[] {
  return Object.entries(matches)
    .map(([name, match]) => ({ name, match: stringMatchOf(match) }))
    .toSorted((a, b) => compareTexts(a.name, b.name));
}
