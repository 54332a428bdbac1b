import type { RequestAuthentication as IstioRequestAuthentication } from "#gen/istio/security/v1beta1/request_authentication_pb.js";
import type { Config } from "../../../src/config/config.ts";
import type { JwtRule } from "../../../src/pilot/model/policy/request-authentication.ts";
import { requestAuthenticationOf } from "../../../src/pilot/registry/policy/request-authentication.ts";
import { rootNamespace, workloads } from "./workloads.ts";

/** `none` is a request without a token. Nobody issued the token `forged`. */
const tokens = ["none", "first", "second", "forged"];

/** All requests that workloads accept under these policies: `namespace app token`. */
export function acceptedTokens(configs: readonly Config[]): ReadonlySet<string> {
  const policies = configs.map((config) =>
    requestAuthenticationOf(config as Config<IstioRequestAuthentication>, () => undefined),
  );
  const requests = workloads.flatMap(({ namespace, app }) => {
    const own = policies.filter(
      (policy) =>
        [namespace, rootNamespace].includes(policy.namespace) &&
        (policy.selector === undefined || policy.selector["app"] === app),
    );
    const rules = own.flatMap((policy) => policy.rules);
    return tokens.filter((token) => accepts(rules, token)).map((token) => `${namespace} ${app} ${token}`);
  });
  return new Set(requests);
}

/** A request with one token satisfies all rules that require one, or any rule if none does. */
function accepts(rules: readonly JwtRule[], token: string): boolean {
  const required = rules.filter((rule) => rule.required);
  if (required.length > 0) return required.every((rule) => proves(rule, token));
  return rules.length === 0 || token === "none" || rules.some((rule) => proves(rule, token));
}

function proves({ issuer, hasUsableKey }: JwtRule, token: string): boolean {
  return issuer === token && hasUsableKey;
}
