import { PluginConfigSchema } from "#gen/istio/envoy/extensions/stats/config_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Capabilities } from "../../model/proxy/capabilities.ts";
import { effectiveMetrics, type MetricChoice, type MetricsChoice } from "../../model/telemetry/effective-metrics.ts";
import type { FilterMessage, NetworkContext } from "../filters/filter.ts";
import { namedProvider } from "../../model/policy/named-provider.ts";
import { modeOf } from "./workload-mode.ts";

/** Counts connections by workloads. Chains of HTTP count requests instead. */
export function networkStatsFilters(context: NetworkContext, writer: ProtoWriter): readonly FilterMessage[] {
  return context.carries === "http" ? [] : statsFilters(context, writer);
}

interface StatsContext extends Pick<NetworkContext, "direction" | "mesh" | "policies"> {
  readonly capabilities: Pick<Capabilities, "stats">;
}

/** Counts requests by workloads. Only Istio's own build of Envoy has the filter. */
export function statsFilters(
  { direction, capabilities, mesh, policies }: StatsContext,
  writer: ProtoWriter,
): readonly FilterMessage[] {
  if (!capabilities.stats) return [];
  return effectiveMetrics(policies.telemetry, mesh.defaultProviders.metrics, modeOf(direction))
    .filter(({ provider }) => namedProvider(provider, policies.providers)?.type === "prometheus")
    .map((choice) => ({
      name: "istio.stats",
      configType: { case: "typedConfig", value: writer.any(PluginConfigSchema, statsOf(choice, direction)) },
    }));
}

function statsOf({ reportingInterval, metrics }: MetricsChoice, direction: NetworkContext["direction"]) {
  return {
    // The host of a request from outside the mesh is not to be trusted.
    disableHostHeaderFallback: direction !== "outbound",
    tcpReportingDuration: reportingInterval,
    metrics: metrics.map(metricOf),
  };
}

function metricOf({ name, dropped, tags }: MetricChoice) {
  const set = tags.flatMap(([tag, value]) => (value === undefined ? [] : [[tag, value] as const]));
  return {
    name: prometheusNames.get(name) ?? name,
    drop: dropped,
    dimensions: Object.fromEntries(set),
    tagsToRemove: tags.filter(([, value]) => value === undefined).map(([tag]) => tag),
  };
}

/** Istio's metrics by their names in Telemetry. Other names are of custom metrics. */
const prometheusNames: ReadonlyMap<string, string> = new Map([
  ["REQUEST_COUNT", "requests_total"],
  ["REQUEST_DURATION", "request_duration_milliseconds"],
  ["REQUEST_SIZE", "request_bytes"],
  ["RESPONSE_SIZE", "response_bytes"],
  ["TCP_OPENED_CONNECTIONS", "tcp_connections_opened_total"],
  ["TCP_CLOSED_CONNECTIONS", "tcp_connections_closed_total"],
  ["TCP_SENT_BYTES", "tcp_sent_bytes_total"],
  ["TCP_RECEIVED_BYTES", "tcp_received_bytes_total"],
  ["GRPC_REQUEST_MESSAGES", "request_messages_total"],
  ["GRPC_RESPONSE_MESSAGES", "response_messages_total"],
]);
