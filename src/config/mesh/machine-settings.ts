import type { JsonObject } from "@bufbuild/protobuf";
import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { ProxyConfigSchema } from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import { findingText } from "../finding.ts";
import { decode } from "../proto-json/proto-json.ts";
import { toRaw } from "../proto-json/to-raw.ts";
import { readProxyConfig } from "./proxy-launch.ts";
import { mergeProxyConfigs } from "./workload-proxy-config.ts";

/** The settings of a mesh that agents outside of Kubernetes need. */
export interface MachineSettings {
  /** Empty if the mesh does not name it. */
  readonly trustDomain: string;
  /** The ProxyConfig as JSON, only with the fields that are set. */
  readonly proxyConfig: JsonObject;
}

export type MachineSettingsResult = { readonly settings: MachineSettings } | { readonly problem: string };

/** The annotation with a ProxyConfig as YAML. */
export const proxyConfigAnnotation = "proxy.istio.io/config";

/** Reads a MeshConfig, and merges the annotations of a WorkloadGroup into its `defaultConfig`, the last one first. */
export function machineSettings(mesh: unknown, annotations: readonly string[]): MachineSettingsResult {
  const { message, findings } = decode(MeshConfigSchema, mesh ?? {}, { path: "", unknownFields: "ignored" });
  if (message === undefined) return { problem: `MeshConfig: ${findings.map(findingText).join("; ")}` };
  const { defaultConfig, trustDomain } = message;
  let proxyConfig = defaultConfig === undefined ? {} : (toRaw(ProxyConfigSchema, defaultConfig) as JsonObject);
  for (const annotation of annotations) {
    const read = readProxyConfig(annotation);
    if ("problem" in read) return { problem: `${proxyConfigAnnotation}: ${read.problem}` };
    proxyConfig = mergeProxyConfigs(proxyConfig, read.config);
  }
  return { settings: { trustDomain, proxyConfig } };
}
