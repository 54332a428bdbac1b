import type { OptionRows } from "./option.ts";
import { collectorUrl, millisecondsOrDuration, oneOf, singleText } from "./option-values.ts";

/** Options for traces and metrics by OTLP. */
export interface TelemetryOptions {
  readonly otlpEndpoint: string;
  readonly otlpHeaders: string;
  readonly otlpProtocol: "http/protobuf";
  readonly otlpTimeoutMs: number;
  readonly otlpMetricsIntervalMs: number;
  readonly otlpServiceName: string;
  readonly otlpResource: string;
}

export const telemetryOptions: OptionRows<TelemetryOptions> = {
  otlpEndpoint: {
    name: "otlp-endpoint",
    env: ["BINNACLE_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    type: collectorUrl,
    default: "off",
    defaultText: "off",
    doc: "Sends traces of changes and all metrics to this OpenTelemetry collector, to URL/v1/traces and URL/v1/metrics.",
    example: "http://127.0.0.1:4318",
  },
  otlpHeaders: {
    name: "otlp-headers",
    env: ["BINNACLE_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"],
    type: singleText("NAME=VALUE,…"),
    default: "",
    defaultText: "",
    doc: "HTTP headers for the collector, such as an API key. Values may be percent-encoded. Prefer the environment: other users of the machine can see arguments.",
    example: "api-key=secret",
  },
  otlpProtocol: {
    name: "otlp-protocol",
    env: ["BINNACLE_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"],
    type: oneOf(["http/protobuf"]),
    default: "http/protobuf",
    defaultText: "http/protobuf",
    doc: "Protocol of the collector. OTLP over gRPC is not supported: use the HTTP port of the collector, usually 4318.",
    example: "http/protobuf",
  },
  otlpTimeoutMs: {
    name: "otlp-timeout",
    env: ["BINNACLE_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"],
    type: millisecondsOrDuration,
    default: 10_000,
    defaultText: "10s",
    doc: "Time in which the collector must answer one request. A number without a unit is in milliseconds.",
    example: "5s",
  },
  otlpMetricsIntervalMs: {
    name: "otlp-metrics-interval",
    env: ["BINNACLE_OTLP_METRICS_INTERVAL", "OTEL_METRIC_EXPORT_INTERVAL"],
    type: millisecondsOrDuration,
    default: 60_000,
    defaultText: "1m",
    doc: "Sends the metrics to the collector this often. A number without a unit is in milliseconds.",
    example: "15s",
  },
  otlpServiceName: {
    name: "otlp-service-name",
    env: ["BINNACLE_OTLP_SERVICE_NAME", "OTEL_SERVICE_NAME"],
    type: singleText("NAME"),
    default: "",
    defaultText: "",
    doc: "The attribute service.name of all traces and metrics. Without it, the one in --otlp-resource, else binnacle.",
    example: "binnacle-east",
  },
  otlpResource: {
    name: "otlp-resource",
    env: ["BINNACLE_OTLP_RESOURCE", "OTEL_RESOURCE_ATTRIBUTES"],
    type: singleText("NAME=VALUE,…"),
    default: "",
    defaultText: "",
    doc: "More attributes of all traces and metrics. Values may be percent-encoded.",
    example: "deployment.environment.name=production",
  },
};
