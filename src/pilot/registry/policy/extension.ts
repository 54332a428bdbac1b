import {
  TrafficExtension_ExecutionPhase as Phase,
  type TrafficExtension,
} from "#gen/istio/extensions/v1alpha1/traffic_extension_pb.js";
import { PluginPhase, type WasmPlugin } from "#gen/istio/extensions/v1alpha1/wasm_pb.js";
import { type PortSelector, WorkloadMode } from "#gen/istio/type/v1beta1/selector_pb.js";
import type { Config } from "../../../config/config.ts";
import type { Extension, ExtensionPhase, TrafficSelector } from "../../model/policy/extension.ts";
import { wasmModuleOf } from "./wasm-module.ts";
import { workloadPolicyOf } from "./workload-policy.ts";

const pluginPhases: Readonly<Record<PluginPhase, ExtensionPhase>> = {
  [PluginPhase.UNSPECIFIED_PHASE]: "unspecified",
  [PluginPhase.AUTHN]: "authn",
  [PluginPhase.AUTHZ]: "authz",
  [PluginPhase.STATS]: "stats",
};

const phases: Readonly<Record<Phase, ExtensionPhase>> = {
  [Phase.UNSPECIFIED]: "unspecified",
  [Phase.AUTHN]: "authn",
  [Phase.AUTHZ]: "authz",
  [Phase.STATS]: "stats",
};

export function wasmPluginOf(config: Config<WasmPlugin>): Extension {
  const { spec } = config;
  return {
    ...workloadPolicyOf(config),
    resourceName: resourceNameOf("wasmplugin", config),
    phase: pluginPhases[spec.phase],
    priority: spec.priority,
    match: spec.match.map(selectorOf),
    filter: wasmModuleOf(spec, config),
  };
}

/** None for an object without a filter, which validation refuses. */
export function trafficExtensionsOf(config: Config<TrafficExtension>): readonly Extension[] {
  const { spec } = config;
  const filter = filterOf(config);
  if (filter === undefined) return [];
  const extension = {
    ...workloadPolicyOf(config),
    resourceName: resourceNameOf("trafficextension", config),
    phase: phases[spec.phase],
    priority: spec.priority,
    match: spec.match.map(selectorOf),
    filter,
  };
  return [extension];
}

function filterOf(config: Config<TrafficExtension>): Extension["filter"] | undefined {
  const { case: language, value } = config.spec.filterConfig;
  if (language === undefined) return undefined;
  return language === "wasm" ? wasmModuleOf(value, config) : { type: "lua", code: value.inlineCode };
}

function resourceNameOf(kind: string, { namespace, name }: Config): string {
  return `extensions.istio.io/${kind}/${namespace}.${name}`;
}

const modes: Readonly<Record<WorkloadMode, TrafficSelector["mode"]>> = {
  [WorkloadMode.UNDEFINED]: "any",
  [WorkloadMode.CLIENT]: "client",
  [WorkloadMode.SERVER]: "server",
  [WorkloadMode.CLIENT_AND_SERVER]: "any",
};

function selectorOf(match: { readonly mode: WorkloadMode; readonly ports: readonly PortSelector[] }): TrafficSelector {
  return { mode: modes[match.mode], ports: match.ports.map(({ number }) => number) };
}
