import type { RouteMatch } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { RegexMatchAndSubstitute } from "#gen/envoy/type/matcher/v3/regex_pb.js";
import { pathOf, queryTextOf, type SimulatedRequest } from "../simulated-request.ts";
import { readRegex } from "./text-pattern.ts";

/** The path with the matched part replaced. Only a prefix match leaves a rest. */
export function rewritePrefix(match: RouteMatch | undefined, replacement: string, request: SimulatedRequest): string {
  const matched = match?.pathSpecifier;
  const isPrefix = matched?.case === "prefix" || matched?.case === "pathSeparatedPrefix";
  const rest = isPrefix ? pathOf(request).slice(matched.value.length) : "";
  return `${replacement}${rest}${queryTextOf(request)}`;
}

/** The path with all matches of the pattern replaced; `\1` in the substitution is the first group. */
export function rewriteByRegex({ pattern, substitution }: RegexMatchAndSubstitute, request: SimulatedRequest): string {
  const regex = readRegex(pattern?.regex ?? "", "part");
  if (regex === undefined) return request.path;
  const everywhere = new RegExp(regex, `${regex.flags}g`);
  const rewritten = pathOf(request).replace(everywhere, (...found: readonly unknown[]) =>
    substitution.replaceAll(/\\(?<group>\d)/gu, (_, group: string) => textOf(found[Number(group)])),
  );
  return `${rewritten}${queryTextOf(request)}`;
}

/** Groups outside the match are empty. */
function textOf(group: unknown): string {
  return typeof group === "string" ? group : "";
}
