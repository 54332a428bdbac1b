import { addresses } from "./addresses.ts";
import { configDump } from "./config-dump.ts";
import { configz } from "./configz.ts";
import { connections } from "./connections.ts";
import { pageList } from "./http-server.ts";
import { issues } from "./issues.ts";
import type { Metrics } from "./metrics.ts";
import { healthz, ready } from "./probes.ts";
import { json, type Route, text } from "./route.ts";
import type { AdminState } from "./state.ts";
import { syncz } from "./syncz.ts";

/** Every page of the HTTP port. */
export function debugRoutes(state: AdminState): readonly Route[] {
  const pages: readonly Route[] = [
    ready(state),
    healthz,
    syncz(state),
    configz(state),
    configDump(state),
    connections(state),
    issues(state),
    addresses(state),
  ];
  const index: Route = { path: "/debug", doc: "this list", answer: () => text(pageList([...pages, index])) };
  return [...pages, index];
}

/** Every page of the metrics port. */
export function metricsRoutes(metrics: Metrics, version: string): readonly Route[] {
  return [
    {
      path: "/metrics",
      doc: "for Prometheus",
      answer: async () => ({
        status: 200,
        contentType: metrics.registry.contentType,
        body: await metrics.registry.metrics(),
      }),
    },
    { path: "/version", doc: "what this is", answer: () => json({ name: "binnacle", version }) },
  ];
}
