import type { ProxyConfig as IstioProxyConfig } from "#gen/istio/networking/v1beta1/proxy_config_pb.js";
import type { Config } from "../../../config/config.ts";
import type { ProxyConfig } from "../../model/policy/proxy-config.ts";
import { workloadPolicyOf } from "./workload-policy.ts";

export function proxyConfigOf(config: Config<IstioProxyConfig>): ProxyConfig {
  return workloadPolicyOf(config);
}
