import type { EnvoyFilter as IstioEnvoyFilter } from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import type { Config } from "../../../config/config.ts";
import type { EnvoyFilter } from "../../model/policy/envoy-filter.ts";
import { selectorOf, workloadPolicyOf } from "./workload-policy.ts";

export function envoyFilterOf(config: Config<IstioEnvoyFilter>): EnvoyFilter {
  const { workloadSelector, targetRefs } = config.spec;
  const policy = workloadPolicyOf({ ...config, spec: { targetRefs } });
  return { ...policy, selector: selectorOf(workloadSelector?.labels ?? {}) };
}
