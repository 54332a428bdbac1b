import { DatadogConfigSchema } from "#gen/envoy/config/trace/v3/datadog_pb.js";
import { OpenTelemetryConfigSchema } from "#gen/envoy/config/trace/v3/opentelemetry_pb.js";
import { SkyWalkingConfigSchema } from "#gen/envoy/config/trace/v3/skywalking_pb.js";
import {
  ZipkinConfig_CollectorEndpointVersion as EndpointVersion,
  ZipkinConfig_TraceContextOption as TraceContext,
  ZipkinConfigSchema,
} from "#gen/envoy/config/trace/v3/zipkin_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { durationOfMs } from "../../model/duration.ts";
import type { TracingProvider, ZipkinProvider } from "../../model/policy/telemetry-provider.ts";
import { grpcCollector, hostnameOf, httpCollector, httpService } from "./collector.ts";
import { detectorsOf, dynatraceSampler } from "./open-telemetry.ts";
import type { TracerFacts } from "./tracing-identity.ts";

/** A tracer: its name and its encoded configuration. */
export interface Tracer {
  readonly name: string;
  readonly config: Uint8Array;
  /** A sampler of its own decides which requests are traced. */
  readonly samples: boolean;
}

/** Undefined if the service of the provider is unknown. */
export function tracerOf(provider: TracingProvider, facts: TracerFacts, writer: ProtoWriter): Tracer | undefined {
  const { type, cluster } = provider;
  if (cluster === undefined) return undefined;
  switch (type) {
    case "zipkin":
      return tracer("zipkin", writer.any(ZipkinConfigSchema, zipkin(provider, cluster, facts)));
    case "datadog": {
      const { serviceName } = facts;
      const config = { collectorCluster: cluster, serviceName, collectorHostname: hostnameOf(cluster) };
      return tracer("datadog", writer.any(DatadogConfigSchema, config));
    }
    case "skywalking":
      return tracer("skywalking", writer.any(SkyWalkingConfigSchema, { grpcService: grpcCollector(cluster) }));
    case "opentelemetry":
    default: {
      const { transport } = provider;
      const sampler = provider.sampler && dynatraceSampler(provider.sampler, { cluster, transport }, writer);
      if (provider.sampler !== undefined && sampler === undefined) return undefined;
      const config = writer.any(OpenTelemetryConfigSchema, {
        serviceName: provider.semanticNames ? facts.semanticName : facts.serviceName,
        grpcService: transport.type === "grpc" ? grpcCollector(cluster, transport) : undefined,
        httpService: transport.type === "http" ? httpCollector(cluster, transport) : undefined,
        resourceDetectors: detectorsOf(provider.detectors, writer),
        sampler,
      });
      return { ...tracer("opentelemetry", config), samples: sampler !== undefined };
    }
  }
}

function tracer(name: string, config: Uint8Array): Tracer {
  return { name: `envoy.tracers.${name}`, config, samples: false };
}

/** Proxies before Istio 1.29 know only a cluster and a path. */
function zipkin(provider: ZipkinProvider, cluster: string, { since128, since129 }: TracerFacts) {
  const { path, headers, timeout = durationOfMs(5000) } = provider;
  const hostname = hostnameOf(cluster);
  const collector = since129
    ? { collectorService: httpService({ cluster, uri: `http://${hostname}${path}`, timeout, headers }) }
    : { collectorCluster: cluster, collectorEndpoint: path, collectorHostname: hostname };
  return {
    ...collector,
    traceId128bit: !provider.shortTraceIds,
    sharedSpanContext: false,
    collectorEndpointVersion: EndpointVersion.HTTP_JSON,
    traceContextOption:
      since128 && provider.w3cContext ? TraceContext.USE_B3_WITH_W3C_PROPAGATION : TraceContext.USE_B3,
  };
}
