import type { TrafficPolicies } from "../../pilot/model/policy/traffic-policies.ts";

/** The policies of a mesh without any. */
export const noPolicies: TrafficPolicies = {
  authorization: [],
  authentication: [],
  telemetry: [],
  extensions: [],
  providers: [],
};
