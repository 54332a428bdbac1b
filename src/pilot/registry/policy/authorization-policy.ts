import type { AuthorizationPolicy as IstioAuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { Config } from "../../../config/config.ts";
import type { AuthorizationPolicy } from "../../model/policy/authorization-policy.ts";
import { workloadPolicyOf } from "./workload-policy.ts";

export function authorizationPolicyOf(config: Config<IstioAuthorizationPolicy>): AuthorizationPolicy {
  return workloadPolicyOf(config);
}
