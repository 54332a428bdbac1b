import { addressesPage } from "./addresses.ts";
import { configDump } from "./config-dump.ts";
import { configz } from "./configz.ts";
import { connections } from "./connections.ts";
import { pageList } from "./http-server.ts";
import { issues } from "./issues.ts";
import type { Metrics } from "./metrics.ts";
import type { Emitter } from "./probes/emitter.ts";
import { healthz, ready } from "./probes/http-probes.ts";
import { json, type Route, text } from "./route.ts";
import type { Addresses, GalleyState, PilotState } from "./state.ts";
import { syncz } from "./syncz.ts";

export function galleyPages(state: GalleyState): readonly Route[] {
  return [configz(state), issues(state)];
}

export function pilotPages(state: PilotState): readonly Route[] {
  return [syncz(state), configDump(state), connections(state)];
}

export interface HttpRoutesOptions {
  readonly emitters: readonly Emitter[];
  readonly addresses: () => Addresses;
  /** Those of the parts that the process has. */
  readonly pages: readonly Route[];
}

/** Every page of the HTTP port. */
export function httpRoutes({ emitters, addresses, pages }: HttpRoutesOptions): readonly Route[] {
  const all = [ready(emitters), healthz, ...pages, addressesPage(addresses)];
  const index: Route = {
    path: "/debug",
    open: true,
    doc: "this list",
    answer: () => text(pageList([...all, index])),
  };
  return [...all, index];
}

/** Every page of the metrics port. */
export function metricsRoutes(metrics: Metrics, version: string): readonly Route[] {
  return [
    {
      path: "/metrics",
      open: true,
      doc: "for Prometheus",
      answer: async () => ({
        status: 200,
        contentType: metrics.registry.contentType,
        body: await metrics.registry.metrics(),
      }),
    },
    {
      path: "/version",
      open: true,
      doc: "what this is",
      answer: () => json({ name: "binnacle", version }),
    },
  ];
}
