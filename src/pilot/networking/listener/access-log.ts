import { AccessLogSchema } from "#gen/envoy/config/accesslog/v3/accesslog_pb.js";
import { FileAccessLogSchema } from "#gen/envoy/extensions/access_loggers/file/v3/file_pb.js";
import { ReqWithoutQuerySchema } from "#gen/envoy/extensions/formatter/req_without_query/v3/req_without_query_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../model/policy/traffic-policies.ts";
import type { AccessLog, AccessLogFormat } from "../../model/proxy/access-log.ts";
import type { Direction } from "../filters/filter.ts";

/** All inputs of access logs. */
export interface LogContext {
  readonly direction: Direction;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** The encoded access logs of a filter. */
export function accessLogs({ mesh }: LogContext, writer: ProtoWriter): readonly Uint8Array[] {
  return encodeHandled([mesh, writer]);
}

/** One encoding for all filter chains. */
const encodeHandled = memoize(([mesh, writer]: readonly [MeshSettings, ProtoWriter]) =>
  mesh.accessLogs.map((log) => encode(log, undefined, writer)),
);

/** The encoded access logs of a listener, for connections that match no chain. */
export function unmatchedLogs({ mesh }: LogContext, writer: ProtoWriter): readonly Uint8Array[] {
  if (!mesh.logsUnmatched) return [];
  return encodeUnmatched([mesh, writer]);
}

/** One encoding for all inbound listeners. */
const encodeUnmatched = memoize(([mesh, writer]: readonly [MeshSettings, ProtoWriter]) =>
  mesh.accessLogs.map((log) => encode(log, unmatched, writer)),
);

const unmatched = { filterSpecifier: { case: "responseFlagFilter", value: { flags: ["NR"] } } } as const;

function encode(
  { path, format, omitsEmpty }: AccessLog,
  filter: typeof unmatched | undefined,
  writer: ProtoWriter,
): Uint8Array {
  const logFormat = { ...formatOf(format), omitEmptyValues: omitsEmpty, formatters: formattersFor(format, writer) };
  const file = writer.any(FileAccessLogSchema, { path, accessLogFormat: { case: "logFormat", value: logFormat } });
  return writer.encode(AccessLogSchema, {
    name: "envoy.access_loggers.file",
    filter,
    configType: { case: "typedConfig", value: file },
  });
}

function formatOf(format: AccessLogFormat) {
  if (format.type === "text") {
    const specifier = { case: "inlineString", value: format.text } as const;
    return { format: { case: "textFormatSource", value: { specifier } } } as const;
  }
  return { format: { case: "jsonFormat", value: format.fields }, jsonFormatOptions: {} } as const;
}

/** One operator is not built in. */
function formattersFor(format: AccessLogFormat, writer: ProtoWriter) {
  const text = format.type === "text" ? format.text : JSON.stringify(format.fields);
  if (!text.includes("%REQ_WITHOUT_QUERY")) return [];
  return [{ name: "envoy.formatter.req_without_query", typedConfig: writer.any(ReqWithoutQuerySchema, {}) }];
}
