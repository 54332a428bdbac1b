import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { type Duration, durationOf } from "../../../model/duration.ts";
import type {
  Backend,
  CorsPolicy,
  Destination,
  DirectResponse,
  Fault,
  Fraction,
  HeaderOperations,
  HttpAction,
  HttpMatch,
  HttpRoute,
  Mirror,
  Redirect,
  RetryPolicy,
  Rewrite,
} from "../../../model/traffic/virtual-service.ts";
import { backendOf, destinationOf } from "../destination.ts";
import type { RouteSource } from "../route-source.ts";
import { corsPolicyOf } from "./cors-policy.ts";
import { faultOf } from "./fault.ts";
import { headerOperationsOf } from "./header-operations.ts";
import { directResponseOf, redirectOf, retryPolicyOf, rewriteOf } from "./http-action.ts";
import { httpMatchOf } from "./http-match.ts";
import { mirrorsAmong, mirrorsOf, shareOf } from "./mirrors.ts";

/**
 * A route as its author wrote it, with full names. Unset fields are undefined (or empty). For a delegate they are then
 * taken from the delegating route.
 */
export interface WrittenRoute {
  readonly name: string;
  readonly matches: readonly HttpMatch[];
  readonly redirect: Redirect | undefined;
  readonly directResponse: DirectResponse | undefined;
  readonly destinations: readonly Destination[];
  readonly rewrite: Rewrite | undefined;
  readonly timeout: Duration | undefined;
  readonly retries: RetryPolicy | undefined;
  readonly mirror: Backend | undefined;
  readonly mirrorShare: Fraction | undefined;
  readonly mirrors: readonly Mirror[];
  readonly headers: HeaderOperations | undefined;
  readonly fault: Fault | undefined;
  readonly cors: CorsPolicy | undefined;
}

export function writtenRouteOf(route: HTTPRoute, source: RouteSource): WrittenRoute {
  const { redirect, directResponse, rewrite, retries, mirror, headers, corsPolicy } = route;
  return {
    name: route.name,
    matches: route.match.map((match) => httpMatchOf(match, source)),
    redirect: redirect && redirectOf(redirect),
    directResponse: directResponse && directResponseOf(directResponse),
    destinations: route.route.map((destination) => destinationOf(destination, source)),
    rewrite: rewrite && rewriteOf(rewrite),
    timeout: durationOf(route.timeout),
    retries: retries && retryPolicyOf(retries),
    mirror: mirror && backendOf(mirror, source),
    mirrorShare: shareOf(route),
    mirrors: mirrorsOf(route, source),
    headers: headers && headerOperationsOf(headers),
    fault: faultOf(route.fault),
    cors: corsPolicy && corsPolicyOf(corsPolicy),
  };
}

/** Converts a written route; undefined for a route without a known action, which is omitted. */
export function httpRouteOf(written: WrittenRoute): HttpRoute | undefined {
  const { name, matches, fault, cors } = written;
  const action = actionOf(written);
  if (action === undefined) return undefined;
  return { name, matches, headers: written.headers ?? headerOperationsOf(undefined), fault, cors, action };
}

const untouched: Rewrite = { path: { type: "none" }, authority: "" };

function actionOf(written: WrittenRoute): HttpAction | undefined {
  const { redirect, directResponse, destinations, rewrite = untouched, timeout, retries } = written;
  if (redirect !== undefined) return redirect;
  if (directResponse !== undefined) return directResponse;
  if (destinations.length === 0) return undefined;
  return { type: "forward", destinations, mirrors: mirrorsAmong(written), rewrite, timeout, retries };
}
