import type { AuthorizationPolicy as IstioAuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { Config } from "../../../src/config/config.ts";
import type { AuthorizationPolicy } from "../../../src/pilot/model/policy/authorization-policy.ts";
import { authorizationPolicyOf } from "../../../src/pilot/registry/policy/authorization-policy.ts";
import { rootNamespace, workloads } from "./workloads.ts";

const paths = ["/a", "/b", "/c"];

/** All requests of a small mesh that these policies allow: `namespace app path`. */
export function allowedRequests(configs: readonly Config[]): ReadonlySet<string> {
  const policies = configs.map((config) => authorizationPolicyOf(config as Config<IstioAuthorizationPolicy>));
  const requests = workloads.flatMap((workload) => paths.map((path) => ({ ...workload, path })));
  const allowed = requests.filter(({ namespace, app, path }) => {
    const own = policies.filter((policy) => appliesTo(policy, namespace, app));
    const allowing = own.filter(({ action }) => action === "allow");
    const denied = own.some((policy) => policy.action === "deny" && matches(policy, path));
    return !denied && (allowing.length === 0 || allowing.some((policy) => matches(policy, path)));
  });
  return new Set(allowed.map(({ namespace, app, path }) => `${namespace} ${app} ${path}`));
}

function appliesTo({ namespace, selector }: AuthorizationPolicy, workload: string, app: string): boolean {
  return [workload, rootNamespace].includes(namespace) && (selector === undefined || selector["app"] === app);
}

/** A rule of the test has paths, or matches everything. */
function matches({ rules }: AuthorizationPolicy, path: string): boolean {
  return rules.some(
    ({ operations }) => operations.length === 0 || operations.flat().some(({ values }) => values.includes(path)),
  );
}
