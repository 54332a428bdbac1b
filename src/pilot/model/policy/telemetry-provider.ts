import type { Duration } from "../duration.ts";
import type { AccessLog } from "../proxy/access-log.ts";

/** A provider that Telemetry and the MeshConfig name, for access logs, traces or metrics. */
export type TelemetryProvider = LogProvider | TracingProvider | MetricsProvider | UnusedProvider;

type LogProvider = FileLogProvider | GrpcLogProvider | OpenTelemetryLogProvider;

export type TracingProvider = ZipkinProvider | DatadogProvider | SkywalkingProvider | OpenTelemetryProvider;

interface NamedProvider {
  readonly name: string;
}

/** A provider with a service. */
interface CalledProvider extends NamedProvider {
  /** The cluster of its service; undefined if the service is unknown or ambiguous. */
  readonly cluster: string | undefined;
}

/** Writes access logs to a file of the proxy. */
interface FileLogProvider extends NamedProvider {
  readonly type: "file-log";
  readonly cluster: undefined;
  readonly log: AccessLog;
}

/** Sends access logs to a gRPC service with Envoy's own protocol. */
export interface GrpcLogProvider extends CalledProvider {
  readonly type: "http-log" | "tcp-log";
  readonly logName: string;
  readonly filterState: readonly string[];
  /** Further headers and trailers in the entries; only for HTTP. */
  readonly requestHeaders: readonly string[];
  readonly responseHeaders: readonly string[];
  readonly responseTrailers: readonly string[];
}

/** Sends access logs to an OpenTelemetry collector. */
export interface OpenTelemetryLogProvider extends CalledProvider {
  readonly type: "otel-log";
  readonly logName: string;
  /** The body of a record, with operators such as `%PROTOCOL%`. */
  readonly text: string;
  /** Attributes of a record: names and texts with operators, sorted by name. */
  readonly labels: readonly (readonly [name: string, text: string])[];
}

export interface ZipkinProvider extends CalledProvider {
  readonly type: "zipkin";
  readonly maxTagLength: number;
  readonly shortTraceIds: boolean;
  readonly path: string;
  /** Also reads and writes W3C trace context. */
  readonly w3cContext: boolean;
  readonly timeout: Duration | undefined;
  readonly headers: readonly ProviderHeader[];
}

interface DatadogProvider extends CalledProvider {
  readonly type: "datadog";
  readonly maxTagLength: number;
}

interface SkywalkingProvider extends CalledProvider {
  readonly type: "skywalking";
}

export interface OpenTelemetryProvider extends CalledProvider {
  readonly type: "opentelemetry";
  readonly maxTagLength: number;
  readonly transport: OtlpTransport;
  readonly detectors: readonly ("environment" | "dynatrace")[];
  readonly sampler: DynatraceSampler | undefined;
  /** Names services after OpenTelemetry's conventions for Kubernetes, instead of the node's cluster. */
  readonly semanticNames: boolean;
}

export type OtlpTransport = HttpTransport | GrpcTransport;

export interface HttpTransport {
  readonly type: "http";
  readonly path: string;
  readonly timeout: Duration | undefined;
  readonly headers: readonly ProviderHeader[];
}

interface GrpcTransport {
  readonly type: "grpc";
  readonly timeout: Duration | undefined;
  readonly metadata: readonly ProviderHeader[];
}

export interface ProviderHeader {
  readonly name: string;
  readonly value: string;
}

/** Dynatrace decides which requests are traced. */
export interface DynatraceSampler {
  readonly tenant: string;
  readonly clusterId: number;
  readonly rootSpansPerMinute: number;
  /** Undefined to ask the collector itself, which then needs HTTP. */
  readonly api: { readonly cluster: string | undefined; readonly http: HttpTransport } | undefined;
}

/** Counts requests and connections in the proxy, for Prometheus to read. */
interface MetricsProvider extends NamedProvider {
  readonly type: "prometheus";
  readonly cluster: undefined;
}

/** A provider that proxies no longer support, or that concerns no traffic. */
interface UnusedProvider extends NamedProvider {
  readonly type: "unused";
  readonly cluster: undefined;
}

export function isTracingProvider(provider: { readonly type: string }): provider is TracingProvider {
  return ["zipkin", "datadog", "skywalking", "opentelemetry"].includes(provider.type);
}
