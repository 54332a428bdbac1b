import type { Metrics } from "../../admin/metrics/metrics.ts";

/** Installs the gauges of MCP that are computed at each scrape. */
export function installMcpGauges(metrics: Metrics, sinks: () => readonly unknown[]): void {
  metrics.observe({
    type: "gauge",
    name: "istio_mcp_clients_total",
    help: "Connected MCP sinks.",
    labels: ["component"],
    values: () => [[{ component: "galley" }, sinks().length]],
  });
}
