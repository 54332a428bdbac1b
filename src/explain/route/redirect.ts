import {
  type RedirectAction,
  RedirectAction_RedirectResponseCode as ResponseCode,
  type RouteMatch,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { Outcome } from "../explanation.ts";
import { queryTextOf, type Request, schemeOf, withoutPort } from "../request.ts";
import { rewriteByRegex, rewritePrefix } from "./path-rewrite.ts";

const statuses: Readonly<Record<ResponseCode, number>> = {
  [ResponseCode.MOVED_PERMANENTLY]: 301,
  [ResponseCode.FOUND]: 302,
  [ResponseCode.SEE_OTHER]: 303,
  [ResponseCode.TEMPORARY_REDIRECT]: 307,
  [ResponseCode.PERMANENT_REDIRECT]: 308,
};

/** Where a client is sent instead. What the action does not set stays as it was asked for. */
export function redirectTo(redirect: RedirectAction, match: RouteMatch | undefined, request: Request): Outcome {
  const { hostRedirect, portRedirect, responseCode } = redirect;
  const scheme = newScheme(redirect, request);
  const port = portRedirect === 0 ? "" : `:${portRedirect}`;
  const host = hostRedirect === "" ? sameHost(request, scheme, port) : hostRedirect;
  const path = redirectedPath(redirect, match, request);
  return { type: "redirect", status: statuses[responseCode], location: `${scheme}://${host}${port}${path}` };
}

/** A virtual host that demands TLS answers plaintext so, before any route is looked at. */
export function redirectToTls(request: Request): Outcome {
  const host = sameHost(request, "https", "");
  return { type: "redirect", status: 301, location: `https://${host}${request.path}` };
}

function newScheme({ schemeRewriteSpecifier: rewrite }: RedirectAction, request: Request): string {
  if (rewrite.case === "schemeRedirect" && rewrite.value !== "") return rewrite.value;
  return rewrite.case === "httpsRedirect" && rewrite.value ? "https" : schemeOf(request);
}

const defaultPorts: Readonly<Record<string, string>> = { http: ":80", https: ":443" };

/** The host as asked for; its port goes when there is a new one, or when it was the usual one of another scheme. */
function sameHost(request: Request, scheme: string, newPort: string): string {
  const bare = withoutPort(request.host);
  const port = request.host.slice(bare.length);
  const before = schemeOf(request);
  return newPort !== "" || (scheme !== before && port === defaultPorts[before]) ? bare : request.host;
}

/** An empty path means: the one that was asked for. A query in the new path replaces the one that was asked for. */
function redirectedPath(redirect: RedirectAction, match: RouteMatch | undefined, request: Request): string {
  const { pathRewriteSpecifier: rewrite, stripQuery } = redirect;
  const query = queryTextOf(request);
  if (rewrite.case === "pathRedirect" && rewrite.value.includes("?")) return rewrite.value;
  const path = newPath(redirect, match, request);
  return stripQuery ? path.slice(0, path.length - query.length) : path;
}

function newPath(redirect: RedirectAction, match: RouteMatch | undefined, request: Request): string {
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
