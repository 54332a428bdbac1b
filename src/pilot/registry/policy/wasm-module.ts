import type { JsonObject } from "@bufbuild/protobuf";
import {
  EnvValueSource,
  FailStrategy,
  PluginType,
  PullPolicy,
  type VmConfig,
} from "#gen/istio/extensions/v1alpha1/wasm_pb.js";
import type { Config } from "../../../config/config.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import { sortedKeys } from "../../../lib/sorted-keys.ts";
import { namedPullSecret } from "../../model/credential/secret-name.ts";
import type { ModuleCode, ModulePull, WasmModule } from "../../model/policy/extension.ts";

/** The fields of a module, which a WasmPlugin and the Wasm part of a TrafficExtension have in common. */
interface ModuleSpec {
  readonly url: string;
  readonly sha256: string;
  readonly imagePullPolicy: PullPolicy;
  readonly imagePullSecret: string;
  readonly pluginConfig?: JsonObject | undefined;
  readonly pluginName: string;
  readonly failStrategy: FailStrategy;
  readonly vmConfig?: VmConfig | undefined;
  readonly type: PluginType;
}

const failStrategies: Readonly<Record<FailStrategy, WasmModule["failStrategy"]>> = {
  [FailStrategy.FAIL_CLOSE]: "close",
  [FailStrategy.FAIL_OPEN]: "open",
  [FailStrategy.FAIL_RELOAD]: "reload",
};

const layers: Readonly<Record<PluginType, WasmModule["layer"]>> = {
  [PluginType.UNSPECIFIED_PLUGIN_TYPE]: "http",
  [PluginType.HTTP]: "http",
  [PluginType.NETWORK]: "network",
};

export function wasmModuleOf(spec: ModuleSpec, owner: Pick<Config, "namespace" | "version">): WasmModule {
  const variables = spec.vmConfig?.env ?? [];
  const isOfHost = ({ valueFrom }: (typeof variables)[number]) => valueFrom === EnvValueSource.HOST;
  const inline = variables.filter((variable) => !isOfHost(variable));
  return {
    type: "wasm",
    layer: layers[spec.type],
    code: codeOf(spec),
    pull: pullOf(spec, owner),
    configuration: configurationOf(spec.pluginConfig ?? {}),
    rootId: spec.pluginName,
    failStrategy: failStrategies[spec.failStrategy],
    environment: Object.fromEntries(inline.map(({ name, value }) => [name, value])),
    hostVariables: variables.filter(isOfHost).map(({ name }) => name),
  };
}

const pullPolicies: Readonly<Record<PullPolicy, ModulePull["policy"]>> = {
  [PullPolicy.UNSPECIFIED_POLICY]: undefined,
  [PullPolicy.IfNotPresent]: "IfNotPresent",
  [PullPolicy.Always]: "Always",
};

function pullOf(spec: ModuleSpec, { namespace, version }: Pick<Config, "namespace" | "version">): ModulePull {
  const { imagePullPolicy, imagePullSecret } = spec;
  const policy = pullPolicies[imagePullPolicy];
  return {
    policy,
    secret: imagePullSecret === "" ? undefined : namedPullSecret(imagePullSecret, namespace),
    version: policy === "Always" ? version : "",
  };
}

const fileScheme = "file://";

/** A URL without a scheme is an OCI image. */
function codeOf({ url, sha256 }: ModuleSpec): ModuleCode {
  if (url.startsWith(fileScheme)) return { type: "file", path: url.slice(fileScheme.length) };
  return { type: "remote", url: url.includes("://") ? url : `oci://${url}`, sha256 };
}

/** Equal settings give equal texts, whatever the order of their keys. */
function configurationOf(settings: JsonObject): string | undefined {
  if (Object.keys(settings).length === 0) return undefined;
  return JSON.stringify(settings, (_, value: unknown) => (isMapping(value) ? inOrder(value) : value));
}

function inOrder(mapping: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(sortedKeys(mapping).map((key) => [key, mapping[key]]));
}
