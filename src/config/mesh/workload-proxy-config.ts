import type { JsonObject } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { ProxyConfigSchema } from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import type { ProxyConfig } from "#gen/istio/networking/v1beta1/proxy_config_pb.js";
import { compareTexts } from "../../lib/compare.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { Config, Labels } from "../config.ts";
import { toRaw } from "../proto-json/to-raw.ts";
import { selects } from "../selector.ts";
import { completeMesh } from "./mesh-defaults.ts";

interface ProxyConfigSources {
  readonly mesh: MeshConfig;
  readonly proxyConfigs: Iterable<Config<ProxyConfig>>;
}

/**
 * The settings with which a proxy starts, as JSON of a ProxyConfig: the `defaultConfig` of the mesh, then ProxyConfigs of
 * the root namespace, of the workload's namespace and of the workload. A later one overrides an earlier one, and on each
 * level the oldest prevails. Variables are merged one by one.
 */
export function workloadProxyConfig(
  { mesh: written, proxyConfigs }: ProxyConfigSources,
  workload: { readonly namespace: string; readonly labels: Labels },
): JsonObject {
  const mesh = completeMesh(written);
  const youngestFirst = [...proxyConfigs].toSorted((a, b) => b.createdAt - a.createdAt || compareTexts(b.name, a.name));
  const wide = (namespace: string) =>
    youngestFirst.filter((config) => config.namespace === namespace && labelsOf(config) === undefined);
  const own = youngestFirst.filter((config) => {
    const labels = labelsOf(config);
    return config.namespace === workload.namespace && labels !== undefined && selects(labels, workload.labels);
  });
  const ofNamespace = workload.namespace === mesh.rootNamespace ? [] : wide(workload.namespace);
  const objects = [...wide(mesh.rootNamespace), ...ofNamespace, ...own].map(asDefaultConfig);
  const ofMesh = mesh.defaultConfig === undefined ? {} : jsonOf(mesh.defaultConfig);
  return [ofMesh, ...objects].reduce(mergeConfigs);
}

function labelsOf({ spec }: Config<ProxyConfig>): Labels | undefined {
  const labels = spec.selector?.matchLabels ?? {};
  return Object.keys(labels).length === 0 ? undefined : labels;
}

/** The fields of the object under their names in the `defaultConfig` of a mesh. */
function asDefaultConfig({ spec }: Config<ProxyConfig>): JsonObject {
  const { concurrency, environmentVariables: proxyMetadata, image } = spec;
  const { imageType = "" } = image ?? {};
  return jsonOf(
    create(ProxyConfigSchema, {
      ...(concurrency !== undefined && { concurrency }),
      ...(imageType !== "" && { image: { imageType } }),
      proxyMetadata,
    }),
  );
}

function jsonOf(config: Parameters<typeof toRaw<typeof ProxyConfigSchema>>[1]): JsonObject {
  return toRaw(ProxyConfigSchema, config) as JsonObject;
}

function mergeConfigs(below: JsonObject, above: JsonObject): JsonObject {
  const [variables, own] = [below["proxyMetadata"], above["proxyMetadata"]];
  const merged = isMapping(variables) && isMapping(own) ? { proxyMetadata: { ...variables, ...own } } : {};
  return { ...below, ...above, ...merged };
}
