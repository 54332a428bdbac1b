import type {
  HTTPDirectResponse,
  HTTPRedirect,
  HTTPRetry,
  HTTPRewrite,
  HTTPRoute,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { HTTPRedirect_RedirectPortSelection } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { DirectResponse, HttpAction, Redirect, RetryPolicy, Rewrite } from "../../model/virtual-service.ts";
import { durationOf } from "../duration.ts";
import { destinationOf } from "./destination.ts";
import { mirrorsOf } from "./mirrors.ts";

/** What a route does; undefined for one that says nothing we know, which is left out. */
export function httpActionOf(route: HTTPRoute, namespace: string, domain: string): HttpAction | undefined {
  if (route.redirect !== undefined) return redirectOf(route.redirect);
  if (route.directResponse !== undefined) return directResponseOf(route.directResponse);
  if (route.route.length === 0) return undefined;
  return {
    type: "forward",
    destinations: route.route.map((destination) => destinationOf(destination, namespace, domain)),
    mirrors: mirrorsOf(route, namespace, domain),
    rewrite: rewriteOf(route.rewrite),
    timeout: durationOf(route.timeout),
    retries: route.retries === undefined ? undefined : retryPolicyOf(route.retries),
  };
}

function redirectOf(redirect: HTTPRedirect): Redirect {
  return {
    type: "redirect",
    authority: redirect.authority,
    path:
      redirect.prefixRewrite === ""
        ? { type: "replace", value: redirect.uri }
        : { type: "prefix", value: redirect.prefixRewrite },
    scheme: redirect.scheme,
    port: redirectPortOf(redirect),
    code: redirect.redirectCode,
  };
}

function redirectPortOf({ redirectPort }: HTTPRedirect): Redirect["port"] {
  if (redirectPort.case === "port") return redirectPort.value;
  const fromRequest = HTTPRedirect_RedirectPortSelection.FROM_REQUEST_PORT;
  return redirectPort.case === "derivePort" && redirectPort.value === fromRequest ? "from-request" : "default";
}

function directResponseOf({ status, body }: HTTPDirectResponse): DirectResponse {
  return { type: "direct-response", status, body: body?.specifier.value };
}

function rewriteOf(rewrite: HTTPRewrite | undefined): Rewrite {
  const authority = rewrite?.authority ?? "";
  if (rewrite?.uriRegexRewrite !== undefined) {
    const { match, rewrite: substitution } = rewrite.uriRegexRewrite;
    return { path: { type: "regex", pattern: match, substitution }, authority };
  }
  if (rewrite === undefined || rewrite.uri === "") return { path: { type: "none" }, authority };
  return { path: { type: "prefix", value: rewrite.uri }, authority };
}

export function retryPolicyOf(retry: HTTPRetry): RetryPolicy {
  return {
    attempts: retry.attempts,
    perTryTimeout: durationOf(retry.perTryTimeout),
    retryOn: retry.retryOn,
    remoteLocalities: retry.retryRemoteLocalities ?? false,
    ignorePreviousHosts: retry.retryIgnorePreviousHosts ?? true,
    backoff: durationOf(retry.backoff),
  };
}
