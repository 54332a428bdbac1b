import type { Telemetry as IstioTelemetry } from "#gen/istio/telemetry/v1alpha1/telemetry_pb.js";
import type { Config } from "../../../config/config.ts";
import type { Telemetry } from "../../model/policy/telemetry.ts";
import { workloadPolicyOf } from "./workload-policy.ts";

export function telemetryOf(config: Config<IstioTelemetry>): Telemetry {
  return workloadPolicyOf(config);
}
