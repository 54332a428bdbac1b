import {
  MeshConfig_ExtensionProvider_ServiceAttributeEnrichment as Enrichment,
  type MeshConfig_ExtensionProvider_HttpHeader as HttpHeader,
  type MeshConfig_ExtensionProvider_HttpService as HttpService,
  type MeshConfig,
  type MeshConfig_ExtensionProvider as IstioProvider,
  type MeshConfig_ExtensionProvider_OpenTelemetryTracingProvider as OpenTelemetry,
  type MeshConfig_ExtensionProvider_EnvoyOpenTelemetryLogProvider as OpenTelemetryLog,
  MeshConfig_ExtensionProvider_ZipkinTracingProvider_TraceContextOption as TraceContext,
  type MeshConfig_ExtensionProvider_ZipkinTracingProvider as Zipkin,
} from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { compareTexts } from "../../../lib/compare.ts";
import { durationOf } from "../../model/duration.ts";
import type {
  DynatraceSampler,
  GrpcLogProvider,
  HttpTransport,
  OpenTelemetryLogProvider,
  OpenTelemetryProvider,
  OtlpTransport,
  ProviderHeader,
  TelemetryProvider,
  ZipkinProvider,
} from "../../model/policy/telemetry-provider.ts";
import { defaultTextFormat } from "../../model/proxy/access-log.ts";
import { providedFile } from "../mesh/access-logs.ts";

/** The cluster of a service and port; undefined if the service is unknown or ambiguous. */
export type ClusterLookup = (target: { readonly service: string; readonly port: number }) => string | undefined;

/** A provider of access logs, traces or metrics. */
export function telemetryProviderOf(
  { name, provider }: IstioProvider,
  mesh: MeshConfig,
  clusterOf: ClusterLookup,
): TelemetryProvider {
  switch (provider.case) {
    case "envoyFileAccessLog":
      return { type: "file-log", name, cluster: undefined, log: providedFile(name, provider.value, mesh) };
    case "envoyHttpAls":
      return grpcLogOf(name, { type: "http-log", said: provider.value, cluster: clusterOf(provider.value) });
    case "envoyTcpAls":
      return grpcLogOf(name, { type: "tcp-log", said: provider.value, cluster: clusterOf(provider.value) });
    case "envoyOtelAls":
      return openTelemetryLogOf(name, provider.value, clusterOf(provider.value));
    case "zipkin":
      return zipkinOf(name, provider.value, clusterOf(provider.value));
    case "datadog": {
      const { maxTagLength } = provider.value;
      return { type: "datadog", name, cluster: clusterOf(provider.value), maxTagLength };
    }
    case "skywalking":
      return { type: "skywalking", name, cluster: clusterOf(provider.value) };
    case "opentelemetry":
      return openTelemetryOf(name, provider.value, clusterOf);
    case "prometheus":
      return { type: "prometheus", name, cluster: undefined };
    case "lightstep":
    case "opencensus":
    case "stackdriver":
    case "sds":
    case "envoyExtAuthzHttp":
    case "envoyExtAuthzGrpc":
    case undefined:
    default:
      return { type: "unused", name, cluster: undefined };
  }
}

/** The fields of both providers that speak Envoy's own protocol. */
interface GrpcLog {
  readonly logName: string;
  readonly filterStateObjectsToLog: readonly string[];
  readonly additionalRequestHeadersToLog?: readonly string[];
  readonly additionalResponseHeadersToLog?: readonly string[];
  readonly additionalResponseTrailersToLog?: readonly string[];
}

const defaultLogNames = { "http-log": "http_envoy_accesslog", "tcp-log": "tcp_envoy_accesslog" } as const;

function grpcLogOf(
  name: string,
  { type, said, cluster }: Pick<GrpcLogProvider, "type" | "cluster"> & { readonly said: GrpcLog },
): GrpcLogProvider {
  const state = said.filterStateObjectsToLog;
  return {
    type,
    name,
    cluster,
    logName: said.logName || defaultLogNames[type],
    filterState: state.length === 0 ? ["upstream_peer", "downstream_peer"] : state,
    requestHeaders: said.additionalRequestHeadersToLog ?? [],
    responseHeaders: said.additionalResponseHeadersToLog ?? [],
    responseTrailers: said.additionalResponseTrailersToLog ?? [],
  };
}

function openTelemetryLogOf(
  name: string,
  { logName, logFormat }: OpenTelemetryLog,
  cluster: string | undefined,
): OpenTelemetryLogProvider {
  const labels = Object.entries(logFormat?.labels ?? {}).toSorted(([a], [b]) => compareTexts(a, b));
  return {
    type: "otel-log",
    name,
    cluster,
    logName: logName || "otel_envoy_accesslog",
    text: logFormat?.text || defaultTextFormat,
    // Only texts have operators. Istio sends other values as empty texts.
    labels: labels.map(([label, value]) => [label, typeof value === "string" ? value : ""]),
  };
}

function zipkinOf(name: string, said: Zipkin, cluster: string | undefined): ZipkinProvider {
  return {
    type: "zipkin",
    name,
    cluster,
    maxTagLength: said.maxTagLength,
    shortTraceIds: said.enable64bitTraceId,
    path: said.path || "/api/v2/spans",
    w3cContext: said.traceContextOption === TraceContext.USE_B3_WITH_W3C_PROPAGATION,
    timeout: durationOf(said.timeout),
    headers: headersOf(said.headers),
  };
}

function openTelemetryOf(name: string, said: OpenTelemetry, clusterOf: ClusterLookup): OpenTelemetryProvider {
  const { environment, dynatrace } = said.resourceDetectors ?? {};
  const semanticNames = said.serviceAttributeEnrichment === Enrichment.OTEL_SEMANTIC_CONVENTIONS;
  return {
    type: "opentelemetry",
    name,
    cluster: clusterOf(said),
    maxTagLength: said.maxTagLength,
    transport: transportOf(said),
    detectors: [
      ...(environment === undefined ? [] : (["environment"] as const)),
      ...(dynatrace === undefined ? [] : (["dynatrace"] as const)),
      // Names by convention go with the other attributes that the environment sets.
      ...(semanticNames && environment === undefined ? (["environment"] as const) : []),
    ],
    sampler: samplerOf(said, clusterOf),
    semanticNames,
  };
}

function transportOf({ http, grpc }: OpenTelemetry): OtlpTransport {
  if (http !== undefined) return httpOf(http);
  return { type: "grpc", timeout: durationOf(grpc?.timeout), metadata: headersOf(grpc?.initialMetadata ?? []) };
}

function httpOf({ path, timeout, headers }: HttpService): HttpTransport {
  return { type: "http", path, timeout: durationOf(timeout), headers: headersOf(headers) };
}

function samplerOf({ sampling }: OpenTelemetry, clusterOf: ClusterLookup): DynatraceSampler | undefined {
  if (sampling.case === undefined) return undefined;
  const { tenant, clusterId, rootSpansPerMinute, httpService: api } = sampling.value;
  const http = api?.http;
  return {
    tenant,
    clusterId,
    rootSpansPerMinute,
    api: api === undefined || http === undefined ? undefined : { cluster: clusterOf(api), http: httpOf(http) },
  };
}

/** A header whose value is in a variable of the control plane has no value here. */
function headersOf(headers: readonly HttpHeader[]): readonly ProviderHeader[] {
  return headers.map(({ name, headerValue }) => ({
    name,
    value: headerValue.case === "value" ? headerValue.value : "",
  }));
}
