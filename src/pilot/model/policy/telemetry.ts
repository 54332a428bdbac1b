import type { Duration } from "../duration.ts";
import type { TraceTag } from "../proxy/proxy-settings.ts";
import type { WorkloadPolicy } from "./workload-policy.ts";

/** Decides which access logs, traces and metrics the proxies write. Later rules override earlier ones. */
export interface Telemetry extends WorkloadPolicy {
  readonly accessLogs: readonly AccessLogRule[];
  readonly traces: readonly TracingRule[];
  readonly metrics: readonly MetricsRule[];
}

/** The side of a connection that a proxy is on: it sends requests for its workload, or receives them. */
export type WorkloadMode = "client" | "server";

/** The fields of every rule. */
interface TelemetryRule {
  /** Names of extension providers. Empty to keep the providers of earlier rules. */
  readonly providers: readonly string[];
}

export interface AccessLogRule extends TelemetryRule {
  /** Undefined for both. */
  readonly mode: WorkloadMode | undefined;
  readonly disabled: boolean;
  /** A CEL expression. Undefined to log everything. */
  readonly filter: string | undefined;
}

/** An undefined field keeps the value of earlier rules. */
export interface TracingRule extends TelemetryRule {
  readonly mode: WorkloadMode | undefined;
  readonly disabled: boolean | undefined;
  /** In per cent of all requests. */
  readonly sampling: number | undefined;
  /** By name. */
  readonly tags: readonly TraceTag[] | undefined;
  readonly istioTags: boolean | undefined;
  readonly samplesByRequestId: boolean | undefined;
  /** Sends no trace context to servers. */
  readonly hidesContext: boolean | undefined;
}

export interface MetricsRule extends TelemetryRule {
  readonly overrides: readonly MetricsOverride[];
  /** How often TCP connections are reported. */
  readonly reportingInterval: Duration | undefined;
}

/** A change of some metrics. */
export interface MetricsOverride {
  /** Such as `REQUEST_COUNT`. Undefined for all metrics of Istio. */
  readonly metric: string | undefined;
  readonly mode: WorkloadMode | undefined;
  readonly disabled: boolean | undefined;
  /** CEL expressions by tag. Undefined removes the tag. */
  readonly tags: readonly (readonly [tag: string, value: string | undefined])[];
}
