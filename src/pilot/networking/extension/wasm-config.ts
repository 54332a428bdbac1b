import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import { WasmSchema as HttpWasmSchema } from "#gen/envoy/extensions/filters/http/wasm/v3/wasm_pb.js";
import { WasmSchema as NetworkWasmSchema } from "#gen/envoy/extensions/filters/network/wasm/v3/wasm_pb.js";
import { FailurePolicy } from "#gen/envoy/extensions/wasm/v3/wasm_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { durationOfMs } from "../../model/duration.ts";
import type { Extension, ModuleCode, WasmModule } from "../../model/policy/extension.ts";

/** Holds the credentials for the registry. The agent removes it before Envoy sees the configuration. */
export const pullSecretVariable = "ISTIO_META_WASM_IMAGE_PULL_SECRET";

/**
 * The configuration of a filter that runs a module, as an encoded Any. An agent with an empty pull secret does not
 * fetch the module; without any, it fetches the module without credentials.
 */
export function wasmConfig(
  { namespace, name }: Extension,
  module: WasmModule,
  pullSecret: string | undefined,
  writer: ProtoWriter,
): Uint8Array {
  const config = {
    name: `${namespace}.${name}`,
    rootId: module.rootId,
    vm: { case: "vmConfig", value: virtualMachine(module, pullSecret) },
    configuration: configurationOf(module, writer),
    failurePolicy: failurePolicies[module.failStrategy],
  } as const;
  return module.layer === "http" ? writer.any(HttpWasmSchema, { config }) : writer.any(NetworkWasmSchema, { config });
}

const failurePolicies: Readonly<Record<WasmModule["failStrategy"], FailurePolicy>> = {
  close: FailurePolicy.FAIL_CLOSED,
  open: FailurePolicy.FAIL_OPEN,
  reload: FailurePolicy.FAIL_RELOAD,
};

const noConfiguration = new Uint8Array(0);

function configurationOf({ configuration }: WasmModule, writer: ProtoWriter): Uint8Array {
  return configuration === undefined ? noConfiguration : writer.any(StringValueSchema, { value: configuration });
}

function virtualMachine(module: WasmModule, pullSecret: string | undefined) {
  const { code, environment, hostVariables } = module;
  return {
    runtime: "envoy.wasm.runtime.v8",
    code: { specifier: codeOf(code) },
    environmentVariables: {
      hostEnvKeys: hostVariables,
      keyValues: { ...pullVariables(module, pullSecret), ...environment },
    },
  };
}

/** Variables for the agent, which removes them before the module runs. */
function pullVariables({ pull: { policy, version } }: WasmModule, pullSecret: string | undefined) {
  return {
    ...(pullSecret === undefined ? {} : { [pullSecretVariable]: pullSecret }),
    ...(policy === undefined ? {} : { ISTIO_META_WASM_IMAGE_PULL_POLICY: policy }),
    ISTIO_META_WASM_PLUGIN_RESOURCE_VERSION: version,
  };
}

const fetchTimeout = durationOfMs(30_000);

/** The agent fetches remote modules and replaces the URL by a file. So the cluster is only a placeholder. */
function codeOf(code: ModuleCode) {
  if (code.type === "file") {
    return { case: "local", value: { specifier: { case: "filename", value: code.path } } } as const;
  }
  const { url, sha256 } = code;
  const httpUri = {
    uri: url,
    httpUpstreamType: { case: "cluster", value: "_" },
    timeout: fetchTimeout,
  } as const;
  return { case: "remote", value: { httpUri, sha256 } } as const;
}
