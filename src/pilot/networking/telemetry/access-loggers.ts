import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { FileAccessLogSchema } from "#gen/envoy/extensions/access_loggers/file/v3/file_pb.js";
import {
  HttpGrpcAccessLogConfigSchema,
  TcpGrpcAccessLogConfigSchema,
} from "#gen/envoy/extensions/access_loggers/grpc/v3/als_pb.js";
import { OpenTelemetryAccessLogConfigSchema } from "#gen/envoy/extensions/access_loggers/open_telemetry/v3/logs_service_pb.js";
import { ReqWithoutQuerySchema } from "#gen/envoy/extensions/formatter/req_without_query/v3/req_without_query_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { ExtensionProvider } from "../../model/policy/extension-provider.ts";
import type { GrpcLogProvider, OpenTelemetryLogProvider } from "../../model/policy/telemetry-provider.ts";
import type { AccessLog, AccessLogFormat } from "../../model/proxy/access-log.ts";
import { grpcCollector } from "./collector.ts";

/** An access logger: its name and its encoded configuration. */
export interface AccessLogger {
  readonly name: string;
  readonly config: Uint8Array;
}

/** Undefined for providers without access logs, and for those whose service is unknown. */
export function accessLoggerOf(provider: ExtensionProvider, writer: ProtoWriter): AccessLogger | undefined {
  switch (provider.type) {
    case "file-log":
      return fileLogger(provider.log, writer);
    case "http-log":
    case "tcp-log":
      return provider.cluster === undefined ? undefined : grpcLogger(provider, grpcCollector(provider.cluster), writer);
    case "otel-log":
      return provider.cluster === undefined ? undefined : openTelemetryLogger(provider, provider.cluster, writer);
    case "zipkin":
    case "datadog":
    case "skywalking":
    case "opentelemetry":
    case "prometheus":
    case "ext-authz-http":
    case "ext-authz-grpc":
    case "unused":
    default:
      return undefined;
  }
}

export function fileLogger({ path, format, omitsEmpty }: AccessLog, writer: ProtoWriter): AccessLogger {
  const text = format.type === "text" ? format.text : JSON.stringify(format.fields);
  const logFormat = { ...formatOf(format), omitEmptyValues: omitsEmpty, formatters: formattersFor(text, writer) };
  const config = writer.any(FileAccessLogSchema, { path, accessLogFormat: { case: "logFormat", value: logFormat } });
  return { name: "envoy.access_loggers.file", config };
}

function formatOf(format: AccessLogFormat) {
  if (format.type === "text") {
    const specifier = { case: "inlineString", value: format.text } as const;
    return { format: { case: "textFormatSource", value: { specifier } } } as const;
  }
  return { format: { case: "jsonFormat", value: format.fields }, jsonFormatOptions: {} } as const;
}

/** One operator is not built in. */
function formattersFor(text: string, writer: ProtoWriter) {
  if (!text.includes("%REQ_WITHOUT_QUERY")) return [];
  return [{ name: "envoy.formatter.req_without_query", typedConfig: writer.any(ReqWithoutQuerySchema, {}) }];
}

/** The settings of a gRPC logger without its target. */
type GrpcLog = Omit<GrpcLogProvider, "name" | "cluster">;

function grpcLogger(log: GrpcLog, grpcService: ReturnType<typeof grpcCollector>, writer: ProtoWriter): AccessLogger {
  const commonConfig = {
    logName: log.logName,
    grpcService,
    transportApiVersion: ApiVersion.V3,
    filterStateObjectsToLog: log.filterState,
  };
  if (log.type === "tcp-log") {
    return { name: "envoy.tcp_grpc_access_log", config: writer.any(TcpGrpcAccessLogConfigSchema, { commonConfig }) };
  }
  const config = writer.any(HttpGrpcAccessLogConfigSchema, {
    commonConfig,
    additionalRequestHeadersToLog: log.requestHeaders,
    additionalResponseHeadersToLog: log.responseHeaders,
    additionalResponseTrailersToLog: log.responseTrailers,
  });
  return { name: "envoy.access_loggers.http_grpc", config };
}

/** Facts about the peers that Istio's metadata filters leave, by the names of all releases. */
const peerState = [
  "upstream_peer",
  "downstream_peer",
  "wasm.upstream_peer",
  "wasm.upstream_peer_id",
  "wasm.downstream_peer",
  "wasm.downstream_peer_id",
];

/** The logger of `enableEnvoyAccessLogService`. Its cluster is in the bootstraps of proxies. */
export function bootstrapLogger(type: GrpcLogProvider["type"], logName: string, writer: ProtoWriter): AccessLogger {
  const log = { type, logName, filterState: peerState, requestHeaders: [], responseHeaders: [], responseTrailers: [] };
  const envoyGrpc = { clusterName: "envoy_accesslog_service", authority: "" };
  const targetSpecifier = { case: "envoyGrpc", value: envoyGrpc } as const;
  return grpcLogger(log, { targetSpecifier, timeout: undefined, initialMetadata: [] }, writer);
}

function openTelemetryLogger(log: OpenTelemetryLogProvider, cluster: string, writer: ProtoWriter): AccessLogger {
  const { logName, text, labels } = log;
  const config = writer.any(OpenTelemetryAccessLogConfigSchema, {
    commonConfig: {
      logName,
      grpcService: grpcCollector(cluster),
      transportApiVersion: ApiVersion.V3,
      filterStateObjectsToLog: peerState,
    },
    disableBuiltinLabels: true,
    body: stringValue(text),
    attributes:
      labels.length === 0 ? undefined : { values: labels.map(([key, value]) => ({ key, value: stringValue(value) })) },
    formatters: formattersFor([text, ...labels.map(([, value]) => value)].join(" "), writer),
  });
  return { name: "envoy.access_loggers.open_telemetry", config };
}

function stringValue(value: string) {
  return { value: { case: "stringValue", value } as const };
}
