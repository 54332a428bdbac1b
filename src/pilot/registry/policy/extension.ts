import type { TrafficExtension } from "#gen/istio/extensions/v1alpha1/traffic_extension_pb.js";
import type { WasmPlugin } from "#gen/istio/extensions/v1alpha1/wasm_pb.js";
import type { Config } from "../../../config/config.ts";
import type { Extension } from "../../model/policy/extension.ts";
import { workloadPolicyOf } from "./workload-policy.ts";

export function wasmPluginOf(config: Config<WasmPlugin>): Extension {
  return workloadPolicyOf(config);
}

export function trafficExtensionOf(config: Config<TrafficExtension>): Extension {
  return workloadPolicyOf(config);
}
