import {
  type RedirectAction,
  RedirectAction_RedirectResponseCode as ResponseCode,
  type RouteMatch,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { RequestOutcome } from "../explanation.ts";
import { queryTextOf, type SimulatedRequest, schemeOf, withoutPort } from "../simulated-request.ts";
import { rewriteByRegex, rewritePrefix } from "./path-rewrite.ts";

const statuses: Readonly<Record<ResponseCode, number>> = {
  [ResponseCode.MOVED_PERMANENTLY]: 301,
  [ResponseCode.FOUND]: 302,
  [ResponseCode.SEE_OTHER]: 303,
  [ResponseCode.TEMPORARY_REDIRECT]: 307,
  [ResponseCode.PERMANENT_REDIRECT]: 308,
};

/** The target of a redirect. Parts that the action does not set stay as requested. */
export function redirectTo(
  redirect: RedirectAction,
  match: RouteMatch | undefined,
  request: SimulatedRequest,
): RequestOutcome {
  const { hostRedirect, portRedirect, responseCode } = redirect;
  const scheme = newScheme(redirect, request);
  const port = portRedirect === 0 ? "" : `:${portRedirect}`;
  const host = hostRedirect === "" ? sameHost(request, scheme, port) : hostRedirect;
  const path = redirectedPath(redirect, match, request);
  return { type: "redirect", status: statuses[responseCode], location: `${scheme}://${host}${port}${path}` };
}

/** A virtual host that requires TLS redirects plaintext, before any route is checked. */
export function redirectToTls(request: SimulatedRequest): RequestOutcome {
  const host = sameHost(request, "https", "");
  return { type: "redirect", status: 301, location: `https://${host}${request.path}` };
}

function newScheme({ schemeRewriteSpecifier: rewrite }: RedirectAction, request: SimulatedRequest): string {
  if (rewrite.case === "schemeRedirect" && rewrite.value !== "") return rewrite.value;
  return rewrite.case === "httpsRedirect" && rewrite.value ? "https" : schemeOf(request);
}

const defaultPorts: Readonly<Record<string, string>> = { http: ":80", https: ":443" };

/** The requested host. Its port is dropped if there is a new port, or if it was the default port of another scheme. */
function sameHost(request: SimulatedRequest, scheme: string, newPort: string): string {
  const bare = withoutPort(request.host);
  const port = request.host.slice(bare.length);
  const before = schemeOf(request);
  return newPort !== "" || (scheme !== before && port === defaultPorts[before]) ? bare : request.host;
}

/** An empty path keeps the requested path. A query in the new path replaces the requested query. */
function redirectedPath(redirect: RedirectAction, match: RouteMatch | undefined, request: SimulatedRequest): string {
  const { pathRewriteSpecifier: rewrite, stripQuery } = redirect;
  const query = queryTextOf(request);
  if (rewrite.case === "pathRedirect" && rewrite.value.includes("?")) return rewrite.value;
  const path = newPath(redirect, match, request);
  return stripQuery ? path.slice(0, path.length - query.length) : path;
}

function newPath(redirect: RedirectAction, match: RouteMatch | undefined, request: SimulatedRequest): string {
  const { pathRewriteSpecifier: rewrite } = redirect;
  switch (rewrite.case) {
    case "pathRedirect":
      return rewrite.value === "" ? request.path : `${rewrite.value}${queryTextOf(request)}`;
    case "prefixRewrite":
      return rewritePrefix(match, rewrite.value, request);
    case "regexRewrite":
      return rewriteByRegex(rewrite.value, request);
    case undefined:
    default:
      return request.path;
  }
}
