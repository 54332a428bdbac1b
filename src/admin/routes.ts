import { addressesPage } from "./addresses.ts";
import { debugIndex } from "./debug-index.ts";
import { configz } from "./galley/configz.ts";
import { issues } from "./galley/issues.ts";
import { resourcesz } from "./galley/resourcesz.ts";
import { sourcesPage } from "./galley/sources.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { adsz } from "./pilot/adsz.ts";
import { cachez } from "./pilot/cachez.ts";
import { configDumpPages } from "./pilot/config-dump.ts";
import { connections } from "./pilot/connections.ts";
import { configDistribution } from "./pilot/distribution.ts";
import { meshPages } from "./pilot/mesh-pages.ts";
import { nacks } from "./pilot/nacks.ts";
import { pushStatus } from "./pilot/push-status.ts";
import { resourcesPage } from "./pilot/resources.ts";
import { syncz } from "./pilot/syncz.ts";
import type { Emitter } from "./probes/emitter.ts";
import { healthz, ready } from "./probes/http-probes.ts";
import { json, type Route } from "./route.ts";
import type { Addresses, GalleyState, PilotState } from "./state.ts";

export function galleyPages(state: GalleyState): readonly Route[] {
  return [configz(state), sourcesPage(state), issues(state), resourcesz];
}

export function pilotPages(state: PilotState): readonly Route[] {
  return [
    syncz(state),
    nacks(state),
    configDistribution(state),
    ...configDumpPages(state),
    resourcesPage(state),
    connections(state),
    adsz(state),
    cachez(state),
    pushStatus(state),
    ...meshPages(state),
  ];
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
  return [...all, ...debugIndex(all)];
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
