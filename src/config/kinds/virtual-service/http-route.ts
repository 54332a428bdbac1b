import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, errorUnless, type Finding, warning } from "../../finding.ts";
import { percentage, positiveDuration } from "../../rules/amount.ts";
import { destination, weightedDestinations } from "../../rules/destination.ts";
import { headerChanges } from "../../rules/headers.ts";
import { directResponseRules, redirectRules } from "./answers.ts";
import { corsPolicy } from "./cors.ts";
import { faultInjection } from "./fault.ts";
import { httpMatch } from "./http-match.ts";
import { retryPolicy } from "./retry.ts";
import { rewriteRules } from "./rewrite.ts";

/** Checks one HTTP rule: its conditions, its one action, and its changes of the request. */
export function httpRoute(route: HTTPRoute, path: string): readonly Finding[] {
  return [
    ...oneAction(route, path),
    ...nothingToForward(route, path),
    ...route.match.flatMap((match, index) => httpMatch(match, fieldPath(path, "match", index))),
    ...weightedDestinations(route.route, `${path}.route`),
    ...route.route.flatMap(({ headers }, index) => headerChanges(headers, fieldPath(path, "route", index, "headers"))),
    ...redirectRules(route, `${path}.redirect`),
    ...rewriteRules(route, path),
    ...directResponseRules(route, `${path}.directResponse`),
    ...mirrors(route, path),
    ...positiveDuration(route.timeout, `${path}.timeout`),
    ...retryPolicy(route.retries, `${path}.retries`),
    ...faultInjection(route.fault, `${path}.fault`),
    ...corsPolicy(route.corsPolicy, `${path}.corsPolicy`),
    ...headerChanges(route.headers, `${path}.headers`),
  ];
}

function oneAction(route: HTTPRoute, path: string): readonly Finding[] {
  const { redirect, directResponse, delegate } = route;
  const actions = Object.entries({ route: route.route.length > 0 || undefined, redirect, directResponse, delegate })
    .filter(([, action]) => action !== undefined)
    .map(([name]) => name);
  if (actions.length === 1) return [];
  const message =
    actions.length === 0
      ? "a rule needs a route, redirect, directResponse or delegate"
      : `only one of ${actions.join(" and ")} may be set`;
  return [error(path, { code: actions.length === 0 ? "missing-action" : "conflicting-fields", message })];
}

/** Changes of a forwarded request are a mistake in a rule that forwards none. */
function nothingToForward(route: HTTPRoute, path: string): readonly Finding[] {
  const answer =
    route.redirect === undefined ? (route.directResponse === undefined ? undefined : "directResponse") : "redirect";
  if (answer === undefined) return [];
  return (["fault", "rewrite"] as const).flatMap((field) =>
    errorUnless(route[field] === undefined, fieldPath(path, field), {
      code: "conflicting-fields",
      message: `${field} cannot be combined with ${answer}`,
    }),
  );
}

function mirrors(route: HTTPRoute, path: string): readonly Finding[] {
  return [
    ...(route.mirror === undefined ? [] : destination(route.mirror, `${path}.mirror`)),
    ...percentage(route.mirrorPercentage?.value, `${path}.mirrorPercentage.value`),
    ...percentage(route.mirrorPercent, `${path}.mirrorPercent`),
    ...replacedPercent(route, `${path}.mirrorPercent`),
    ...errorUnless(route.mirror === undefined || route.mirrors.length === 0, `${path}.mirrors`, {
      code: "conflicting-fields",
      message: "only one of mirror and mirrors may be set",
    }),
    ...route.mirrors.flatMap((mirror, index) => [
      ...destination(mirror.destination, fieldPath(path, "mirrors", index, "destination")),
      ...percentage(mirror.percentage?.value, fieldPath(path, "mirrors", index, "percentage", "value")),
    ]),
  ];
}

function replacedPercent({ mirrorPercent }: HTTPRoute, path: string): readonly Finding[] {
  if (mirrorPercent === undefined) return [];
  const message = "mirrorPercent is deprecated";
  return [warning(path, { code: "deprecated-field", message, hint: "write mirrorPercentage: { value: … }" })];
}
