import type { Metrics } from "../admin/metrics.ts";
import { proxyVersion } from "../admin/proxy-version.ts";
import type { AdminState } from "../admin/state.ts";
import type { ProtoWriter } from "../lib/proto-writer.ts";
import type { Environment } from "../pilot/registry/environment.ts";
import type { DiscoveryServer } from "../pilot/xds/discovery-server.ts";

export interface Gauged {
  readonly state: AdminState;
  readonly environment: Pick<Environment, "services" | "virtualServices">;
  readonly discovery: Pick<DiscoveryServer, "catalogue">;
  readonly writer: Pick<ProtoWriter, "encodings">;
}

/** What is not counted as it happens but looked up when Prometheus asks. */
export function installGauges(metrics: Metrics, { state, environment, discovery, writer }: Gauged): void {
  metrics.observe({
    type: "gauge",
    name: "pilot_xds",
    help: "Connected proxies, by their version.",
    label: "version",
    values: () => countBy(state.connections(), ({ proxy }) => proxyVersion(proxy) || "unknown"),
  });
  metrics.observe({
    type: "gauge",
    name: "pilot_services",
    help: "Services of the mesh.",
    values: () => [["", environment.services.size]],
  });
  metrics.observe({
    type: "gauge",
    name: "pilot_virt_services",
    help: "VirtualServices of the mesh.",
    values: () => [["", environment.virtualServices.size]],
  });
  metrics.observe({
    type: "gauge",
    name: "binnacle_config_issues",
    help: "What is wrong with the configuration now.",
    label: "severity",
    values: () => countBy(issuesOf(state), ({ severity }) => severity, ["error", "warning"]),
  });
  metrics.observe({
    type: "gauge",
    name: "binnacle_configs",
    help: "Objects that were accepted.",
    label: "collection",
    values: () => state.configs.entries().map(([name, { size }]) => [name, size] as const),
  });
  metrics.observe({
    type: "gauge",
    name: "binnacle_parts",
    help: "Parts of answers that are kept, each shared by all proxies with equal inputs.",
    values: () => [["", discovery.catalogue.size]],
  });
  metrics.observe({
    type: "counter",
    name: "binnacle_encodings_total",
    help: "Messages that were encoded; independent of the number of proxies.",
    values: () => [["", writer.encodings]],
  });
}

function issuesOf(state: AdminState) {
  return [...state.issues()].flatMap(({ issues }) => issues);
}

/** `always` are counted even when there are none, so that a graph shows zero and not a gap. */
function countBy<T>(values: Iterable<T>, keyOf: (value: T) => string, always: readonly string[] = []) {
  const counts = new Map(always.map((key) => [key, 0]));
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
  return counts;
}
