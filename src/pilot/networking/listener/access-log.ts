import { AccessLogSchema } from "#gen/envoy/config/accesslog/v3/accesslog_pb.js";
import { ExpressionFilterSchema } from "#gen/envoy/extensions/access_loggers/filters/cel/v3/cel_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../model/policy/traffic-policies.ts";
import { effectiveLogs } from "../../model/telemetry/effective-logs.ts";
import { compareTexts } from "../../../lib/compare.ts";
import type { Direction } from "../filters/filter.ts";
import { type AccessLogger, accessLoggerOf, bootstrapLogger, fileLogger } from "../telemetry/access-loggers.ts";
import { namedProvider } from "../../model/policy/named-provider.ts";
import { modeOf } from "../telemetry/workload-mode.ts";

/** All inputs of access logs. */
export interface LogContext {
  readonly direction: Direction;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** The subject of a log: requests or connections that a filter handles, or connections that match no filter chain. */
type Logged = "requests" | "connections" | "unmatched";

/** The encoded access logs of a connection manager. */
export function requestLogs({ direction, mesh, policies }: LogContext, writer: ProtoWriter): readonly Uint8Array[] {
  return encodeLogs([mesh, policies, writer], { direction, logged: "requests" });
}

/** The encoded access logs of a TCP proxy. */
export function connectionLogs({ direction, mesh, policies }: LogContext, writer: ProtoWriter): readonly Uint8Array[] {
  return encodeLogs([mesh, policies, writer], { direction, logged: "connections" });
}

/** The encoded access logs of a listener, for connections that match no chain. */
export function unmatchedLogs({ direction, mesh, policies }: LogContext, writer: ProtoWriter): readonly Uint8Array[] {
  if (!mesh.logsUnmatched) return [];
  return encodeLogs([mesh, policies, writer], { direction, logged: "unmatched" });
}

/** One encoding for all filter chains with the same policies. */
const encodeLogs = memoize(
  (
    [mesh, policies, writer]: readonly [MeshSettings, TrafficPolicies, ProtoWriter],
    { direction, logged }: { readonly direction: Direction; readonly logged: Logged },
  ): readonly Uint8Array[] =>
    (chosenLogs(direction, mesh, policies, writer) ?? meshLogs(logged, mesh, writer)).map(({ name, config, filter }) =>
      writer.encode(AccessLogSchema, {
        name,
        filter: filterOf(logged, filter, writer),
        configType: { case: "typedConfig", value: config },
      }),
    ),
);

interface FilteredLogger extends AccessLogger {
  /** A CEL expression. */
  readonly filter?: string | undefined;
}

/** The loggers that Telemetry and default providers choose. Undefined without any: then the MeshConfig decides. */
function chosenLogs(
  direction: Direction,
  mesh: MeshSettings,
  { telemetry, providers }: TrafficPolicies,
  writer: ProtoWriter,
): readonly FilteredLogger[] | undefined {
  const chosen = effectiveLogs(telemetry, mesh.defaultProviders.accessLogs, modeOf(direction)).flatMap((choice) => {
    const provider = namedProvider(choice.provider, providers);
    const logger = provider && accessLoggerOf(provider, writer);
    return logger === undefined ? [] : [{ ...choice, ...logger, provider: provider?.name ?? "" }];
  });
  if (chosen.length === 0) return undefined;
  return chosen.filter(({ disabled }) => !disabled).toSorted((a, b) => compareTexts(a.provider, b.provider));
}

/** The loggers of the MeshConfig itself. */
function meshLogs(
  logged: Logged,
  { accessLogs, accessLogService }: MeshSettings,
  writer: ProtoWriter,
): readonly FilteredLogger[] {
  const { type, logName } = bootstrapLogs[logged];
  return [
    ...accessLogs.map((log) => fileLogger(log, writer)),
    ...(accessLogService ? [bootstrapLogger(type, logName, writer)] : []),
  ];
}

const bootstrapLogs = {
  requests: { type: "http-log", logName: "http_envoy_accesslog" },
  connections: { type: "tcp-log", logName: "tcp_envoy_accesslog" },
  unmatched: { type: "tcp-log", logName: "listener_envoy_accesslog" },
} as const;

const unmatched = { filterSpecifier: { case: "responseFlagFilter", value: { flags: ["NR"] } } } as const;

/** Undefined to log everything. */
function filterOf(logged: Logged, expression: string | undefined, writer: ProtoWriter) {
  if (expression === undefined) return logged === "unmatched" ? unmatched : undefined;
  const cel = celFilter(expression, writer);
  if (logged !== "unmatched") return cel;
  return { filterSpecifier: { case: "andFilter", value: { filters: [unmatched, cel] } } } as const;
}

function celFilter(expression: string, writer: ProtoWriter) {
  const typedConfig = writer.any(ExpressionFilterSchema, { expression });
  const extension = {
    name: "envoy.access_loggers.extension_filters.cel",
    configType: { case: "typedConfig", value: typedConfig } as const,
  };
  return { filterSpecifier: { case: "extensionFilter", value: extension } } as const;
}
