import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, errorUnless } from "../../finding.ts";
import type { Finding } from "../../kind.ts";
import { percentage, positiveDuration, share } from "../../rules/amount.ts";
import { destination, weightedDestinations } from "../../rules/destination.ts";
import { headerChanges } from "../../rules/headers.ts";
import { regex } from "../../rules/regex.ts";
import { corsPolicy } from "./cors.ts";
import { faultInjection } from "./fault.ts";
import { httpMatch } from "./http-match.ts";
import { retryPolicy } from "./retry.ts";

/** One HTTP rule: its conditions, its one action, and what happens on the way. */
export function httpRoute(route: HTTPRoute, path: string): readonly Finding[] {
  return [
    ...oneAction(route, path),
    ...nothingToForward(route, path),
    ...route.match.flatMap((match, index) => httpMatch(match, fieldPath(path, "match", index))),
    ...weightedDestinations(route.route, `${path}.route`),
    ...route.route.flatMap(({ headers }, index) => headerChanges(headers, fieldPath(path, "route", index, "headers"))),
    ...redirect(route, `${path}.redirect`),
    ...rewrite(route, `${path}.rewrite`),
    ...directResponse(route, `${path}.directResponse`),
    ...mirrors(route, path),
    ...positiveDuration(optionalTimeout(route), `${path}.timeout`),
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
  return [error(path, { code: actions.length === 0 ? "missing-action" : "several-actions", message })];
}

/** What changes a forwarded request makes no sense where none is forwarded. */
function nothingToForward(route: HTTPRoute, path: string): readonly Finding[] {
  const answer =
    route.redirect === undefined ? (route.directResponse === undefined ? undefined : "directResponse") : "redirect";
  if (answer === undefined) return [];
  return (["fault", "rewrite"] as const).flatMap((field) =>
    errorUnless(route[field] === undefined, fieldPath(path, field), {
      code: "conflicting-fields",
      message: `${field} cannot stand beside ${answer}`,
    }),
  );
}

function redirect({ redirect }: HTTPRoute, path: string): readonly Finding[] {
  if (redirect === undefined) return [];
  const { uri, authority, scheme, prefixRewrite, redirectCode, redirectPort } = redirect;
  const changes =
    uri !== "" || authority !== "" || scheme !== "" || prefixRewrite !== "" || redirectPort.case !== undefined;
  return [
    ...errorUnless(changes, path, { code: "empty-redirect", message: "a redirect must change something" }),
    ...errorUnless(uri === "" || prefixRewrite === "", path, {
      code: "conflicting-fields",
      message: "only one of uri and prefixRewrite may be set",
    }),
    ...errorUnless(redirectCode === 0 || (redirectCode >= 300 && redirectCode <= 399), `${path}.redirectCode`, {
      code: "bad-status",
      message: `a redirect answers with 300 to 399, not ${redirectCode}`,
    }),
  ];
}

function rewrite({ rewrite }: HTTPRoute, path: string): readonly Finding[] {
  if (rewrite === undefined) return [];
  const { uri, authority, uriRegexRewrite } = rewrite;
  return [
    ...errorUnless(uri !== "" || authority !== "" || uriRegexRewrite !== undefined, path, {
      code: "empty-rewrite",
      message: "a rewrite needs uri, authority or uriRegexRewrite",
    }),
    ...errorUnless(uri === "" || uriRegexRewrite === undefined, path, {
      code: "conflicting-fields",
      message: "only one of uri and uriRegexRewrite may be set",
    }),
    ...(uriRegexRewrite === undefined ? [] : regex(uriRegexRewrite.match, `${path}.uriRegexRewrite.match`)),
  ];
}

function directResponse({ directResponse }: HTTPRoute, path: string): readonly Finding[] {
  const { status = 200 } = directResponse ?? {};
  return errorUnless(status >= 200 && status <= 599, `${path}.status`, {
    code: "bad-status",
    message: `a response has a status from 200 to 599, not ${status}`,
  });
}

function mirrors(route: HTTPRoute, path: string): readonly Finding[] {
  return [
    ...(route.mirror === undefined ? [] : destination(route.mirror, `${path}.mirror`)),
    ...share(route.mirrorPercentage?.value, `${path}.mirrorPercentage.value`),
    ...percentage(route.mirrorPercent, `${path}.mirrorPercent`),
    ...errorUnless(route.mirror === undefined || route.mirrors.length === 0, `${path}.mirrors`, {
      code: "conflicting-fields",
      message: "only one of mirror and mirrors may be set",
    }),
    ...route.mirrors.flatMap((mirror, index) => [
      ...destination(mirror.destination, fieldPath(path, "mirrors", index, "destination")),
      ...share(mirror.percentage?.value, fieldPath(path, "mirrors", index, "percentage", "value")),
    ]),
  ];
}

/** Zero switches the timeout off, so it is not too short. */
function optionalTimeout({ timeout }: HTTPRoute): HTTPRoute["timeout"] {
  return timeout?.seconds === 0n && timeout.nanos === 0 ? undefined : timeout;
}
