import { create, type JsonObject } from "@bufbuild/protobuf";
import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { type ProxyConfig as StartSettings, ProxyConfigSchema } from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import type { ProxyConfig } from "#gen/istio/networking/v1beta1/proxy_config_pb.js";
import { compareTexts } from "../../lib/compare.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { Config, Labels } from "../config.ts";
import { toRaw } from "../proto-json/to-raw.ts";
import { selects } from "../selector.ts";
import { completeMesh, meshDefaults } from "./mesh-defaults.ts";

/** The objects of a mesh that say how proxies start. */
export interface ProxyConfigSources {
  readonly mesh: MeshConfig | undefined;
  readonly proxyConfigs: Iterable<Config<ProxyConfig>>;
}

export interface StartedWorkload {
  readonly namespace: string;
  readonly labels: Labels;
  /** The annotation `proxy.istio.io/config` of its pod, as JSON. */
  readonly annotation?: JsonObject;
}

/**
 * The settings with which a proxy starts, as JSON of a ProxyConfig. Later levels override earlier ones:
 *
 * 1. `defaultConfig` of the mesh.
 * 2. The ProxyConfig of the root namespace.
 * 3. The ProxyConfig of the workload's namespace.
 * 4. The annotation of the pod.
 * 5. The ProxyConfig that selects the workload.
 *
 * On each level only the oldest object counts, as in Istio. Deprecated fields have their new names in the result.
 */
export function workloadProxyConfig(sources: ProxyConfigSources, workload: StartedWorkload): JsonObject {
  const mesh = completeMesh(sources.mesh ?? meshDefaults());
  const oldestFirst = [...sources.proxyConfigs].toSorted(
    (a, b) => a.createdAt - b.createdAt || compareTexts(a.name, b.name),
  );
  const wide = (namespace: string) =>
    oldestFirst.find((config) => config.namespace === namespace && labelsOf(config) === undefined);
  const own = oldestFirst.find((config) => {
    const labels = labelsOf(config);
    return config.namespace === workload.namespace && labels !== undefined && selects(labels, workload.labels);
  });
  const merged = mergeProxyConfigs(
    mesh.defaultConfig && jsonOf(mesh.defaultConfig),
    asDefaultConfig(wide(mesh.rootNamespace)),
    asDefaultConfig(wide(workload.namespace)),
    workload.annotation,
    asDefaultConfig(own),
  );
  return withNewNames(merged);
}

/** Istio's agent ignores the old name of the Zipkin address, and crashes on that of the metrics service. */
function withNewNames({ zipkinAddress, envoyMetricsServiceAddress, ...config }: JsonObject): JsonObject {
  const { tracing, envoyMetricsService } = config;
  const hasTracer = isMapping(tracing) && tracers.some((name) => name in tracing);
  return {
    ...config,
    ...(zipkinAddress !== undefined &&
      !hasTracer && { tracing: { ...(isMapping(tracing) && tracing), zipkin: { address: zipkinAddress } } }),
    ...(envoyMetricsServiceAddress !== undefined && {
      envoyMetricsService: {
        address: envoyMetricsServiceAddress,
        ...(isMapping(envoyMetricsService) && envoyMetricsService),
      },
    }),
  };
}

const tracers = ["zipkin", "lightstep", "datadog", "stackdriver", "openCensusAgent"];

function labelsOf({ spec }: Config<ProxyConfig>): Labels | undefined {
  const labels = spec.selector?.matchLabels ?? {};
  return Object.keys(labels).length === 0 ? undefined : labels;
}

/** The fields of the object under their names in the `defaultConfig` of a mesh. */
function asDefaultConfig(config: Config<ProxyConfig> | undefined): JsonObject | undefined {
  if (config === undefined) return undefined;
  const { concurrency, environmentVariables: proxyMetadata, image } = config.spec;
  const { imageType = "" } = image ?? {};
  return jsonOf(
    create(ProxyConfigSchema, {
      ...(concurrency !== undefined && { concurrency }),
      ...(imageType !== "" && { image: { imageType } }),
      proxyMetadata,
    }),
  );
}

function jsonOf(config: StartSettings): JsonObject {
  return toRaw(ProxyConfigSchema, config) as JsonObject;
}

const mergedFields = ["proxyMetadata", "proxyHeaders"];

/** Later ones override earlier ones. Variables and headers are merged one by one, as Istio does. */
export function mergeProxyConfigs(...configs: readonly (JsonObject | undefined)[]): JsonObject {
  return configs.reduce<JsonObject>((base, over = {}) => {
    const inner = mergedFields.flatMap((field) => {
      const [below, above] = [base[field], over[field]];
      return isMapping(below) && isMapping(above) ? [[field, { ...below, ...above }] as const] : [];
    });
    const cluster = "tracingServiceName" in over ? withoutCluster(base) : base;
    return { ...cluster, ...over, ...Object.fromEntries(inner) };
  }, {});
}

/** Both are alternatives of the same oneof. */
function withoutCluster({ serviceCluster: _serviceCluster, ...rest }: JsonObject): JsonObject {
  return rest;
}
