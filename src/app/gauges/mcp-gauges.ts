import type { Metrics } from "../../admin/metrics/metrics.ts";

/** What of MCP is not counted as it happens but looked up when Prometheus asks. */
export function installMcpGauges(metrics: Metrics, sinks: () => readonly unknown[]): void {
  metrics.observe({
    type: "gauge",
    name: "istio_mcp_clients_total",
    help: "Sinks that are connected now.",
    labels: ["component"],
    values: () => [[{ component: "galley" }, sinks().length]],
  });
}
