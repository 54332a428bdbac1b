import type {
  DirectResponseAction,
  RedirectAction,
  Route,
  RouteAction,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RedirectAction_RedirectResponseCode as ResponseCode } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { Request } from "./request.ts";
import { pathOf } from "./request.ts";

/** What becomes of a request. */
export type Outcome =
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "redirect"; readonly status: number; readonly location: string }
  | { readonly type: "response"; readonly status: number; readonly body: string }
  | { readonly type: "forwarded"; readonly targets: readonly Target[] };

/** A cluster that gets a share of such requests; shares add up to 1. */
interface Target {
  readonly cluster: string;
  readonly share: number;
}

/** What a matched route does with the request, up to the choice of a cluster. */
export function outcomeOf({ action, match }: Route, request: Request): Outcome {
  if (action.case === "route") return { type: "forwarded", targets: targetsOf(action.value) };
  if (action.case === "directResponse") return responseOf(action.value);
  if (action.case === "redirect") {
    const prefix = match?.pathSpecifier.case === "prefix" ? match.pathSpecifier.value : "";
    return redirectOf(action.value, prefix, request);
  }
  return { type: "refused", reason: "the route has no action" };
}

/** The server's demand for TLS, before any route is looked at. */
export function tlsRedirect(request: Request): Outcome {
  return { type: "redirect", status: 301, location: `https://${request.host}${request.path}` };
}

function targetsOf({ clusterSpecifier }: RouteAction): readonly Target[] {
  if (clusterSpecifier.case === "cluster") return [{ cluster: clusterSpecifier.value, share: 1 }];
  if (clusterSpecifier.case !== "weightedClusters") return [];
  const { clusters } = clusterSpecifier.value;
  const total = clusters.reduce((sum, { weight = 0 }) => sum + weight, 0);
  return clusters.map(({ name, weight = 0 }) => ({ cluster: name, share: weight / total }));
}

function responseOf({ status, body }: DirectResponseAction): Outcome {
  const text = body?.specifier.case === "inlineString" ? body.specifier.value : "";
  return { type: "response", status, body: text };
}

const statuses: Readonly<Record<ResponseCode, number>> = {
  [ResponseCode.MOVED_PERMANENTLY]: 301,
  [ResponseCode.FOUND]: 302,
  [ResponseCode.SEE_OTHER]: 303,
  [ResponseCode.TEMPORARY_REDIRECT]: 307,
  [ResponseCode.PERMANENT_REDIRECT]: 308,
};

function redirectOf(redirect: RedirectAction, matchedPrefix: string, request: Request): Outcome {
  const { schemeRewriteSpecifier: scheme, hostRedirect, portRedirect, responseCode } = redirect;
  const secure = scheme.case === "schemeRedirect" ? scheme.value : "http";
  const host = hostRedirect === "" ? request.host.replace(/:\d+$/u, "") : hostRedirect;
  const port = portRedirect === 0 ? "" : `:${portRedirect}`;
  const path = redirectedPath(redirect, matchedPrefix, request);
  return { type: "redirect", status: statuses[responseCode], location: `${secure}://${host}${port}${path}` };
}

/** An empty path means: the one that was asked for. */
function redirectedPath({ pathRewriteSpecifier: path }: RedirectAction, prefix: string, request: Request): string {
  if (path.case === "pathRedirect" && path.value !== "") return path.value;
  if (path.case === "prefixRewrite") return `${path.value}${pathOf(request).slice(prefix.length)}`;
  return request.path;
}
