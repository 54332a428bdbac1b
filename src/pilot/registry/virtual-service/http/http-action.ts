import type {
  HTTPDirectResponse,
  HTTPRedirect,
  HTTPRetry,
  HTTPRewrite,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { HTTPRedirect_RedirectPortSelection } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { durationOf } from "../../../model/duration.ts";
import type { DirectResponse, Redirect, RetryPolicy, Rewrite } from "../../../model/traffic/virtual-service.ts";

export function redirectOf(redirect: HTTPRedirect): Redirect {
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

export function directResponseOf({ status, body }: HTTPDirectResponse): DirectResponse {
  return { type: "direct-response", status, body: body?.specifier.value };
}

export function rewriteOf({ uri, authority, uriRegexRewrite }: HTTPRewrite): Rewrite {
  if (uriRegexRewrite !== undefined) {
    const { match: pattern, rewrite: substitution } = uriRegexRewrite;
    return { path: { type: "regex", pattern, substitution }, authority };
  }
  return { path: uri === "" ? { type: "none" } : { type: "prefix", value: uri }, authority };
}

export function retryPolicyOf(retry: HTTPRetry): RetryPolicy {
  return {
    attempts: retry.attempts,
    perTryTimeout: durationOf(retry.perTryTimeout),
    retryOn: retry.retryOn,
    remoteLocalities: retry.retryRemoteLocalities ?? false,
    ignorePreviousHosts: retry.retryIgnorePreviousHosts,
    backoff: durationOf(retry.backoff),
  };
}
