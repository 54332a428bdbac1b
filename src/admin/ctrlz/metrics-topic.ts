import type { Metrics } from "../metrics/metrics.ts";
import { html } from "./html.ts";
import type { Topic } from "./topic.ts";

/** The Prometheus metrics, as a page for people. */
export function metricsTopic({ registry }: Pick<Metrics, "registry">): Topic {
  return {
    prefix: "metric",
    title: "Metrics",
    doc: "the metrics for Prometheus",
    data: () => registry.getMetricsAsJSON(),
    body: async () => html`<pre>${await registry.metrics()}</pre>`,
  };
}
