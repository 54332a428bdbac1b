import { DynatraceResourceDetectorConfigSchema } from "#gen/envoy/extensions/tracers/opentelemetry/resource_detectors/v3/dynatrace_resource_detector_pb.js";
import { EnvironmentResourceDetectorConfigSchema } from "#gen/envoy/extensions/tracers/opentelemetry/resource_detectors/v3/environment_resource_detector_pb.js";
import { DynatraceSamplerConfigSchema } from "#gen/envoy/extensions/tracers/opentelemetry/samplers/v3/dynatrace_sampler_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { DynatraceSampler, HttpTransport, OpenTelemetryProvider } from "../../model/policy/telemetry-provider.ts";
import { httpCollector } from "./collector.ts";

const schemas = {
  environment: EnvironmentResourceDetectorConfigSchema,
  dynatrace: DynatraceResourceDetectorConfigSchema,
} as const;

/** Where a tracer finds attributes of its resource. */
export function detectorsOf(detectors: OpenTelemetryProvider["detectors"], writer: ProtoWriter) {
  return detectors.map((detector) => ({
    name: `envoy.tracers.opentelemetry.resource_detectors.${detector}`,
    typedConfig: writer.any(schemas[detector], {}),
  }));
}

const samplingPath = "api/v2/samplingConfiguration";

/** Undefined if the sampler has nobody to ask: no known service of its own, and no collector that speaks HTTP. */
export function dynatraceSampler(
  { tenant, clusterId, rootSpansPerMinute, api }: DynatraceSampler,
  { cluster, transport }: { readonly cluster: string; readonly transport: OpenTelemetryProvider["transport"] },
  writer: ProtoWriter,
) {
  const asked = api === undefined ? collectorApi(cluster, transport) : api;
  if (asked?.cluster === undefined) return undefined;
  const typedConfig = writer.any(DynatraceSamplerConfigSchema, {
    tenant,
    clusterId,
    rootSpansPerMinute,
    httpService: httpCollector(asked.cluster, asked.http),
  });
  return { name: "envoy.tracers.opentelemetry.samplers.dynatrace", typedConfig };
}

function collectorApi(cluster: string, transport: OpenTelemetryProvider["transport"]) {
  if (transport.type !== "http") return undefined;
  const http: HttpTransport = { ...transport, path: samplingPath };
  return { cluster, http };
}
