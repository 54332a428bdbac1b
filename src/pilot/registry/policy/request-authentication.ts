import type { RequestAuthentication as IstioRequestAuthentication } from "#gen/istio/security/v1beta1/request_authentication_pb.js";
import type { Config } from "../../../config/config.ts";
import type { RequestAuthentication } from "../../model/policy/request-authentication.ts";
import { workloadPolicyOf } from "./workload-policy.ts";

export function requestAuthenticationOf(config: Config<IstioRequestAuthentication>): RequestAuthentication {
  return workloadPolicyOf(config);
}
