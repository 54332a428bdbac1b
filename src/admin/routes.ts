import type { Overload } from "../lib/overload/overload.ts";
import { addressesPage } from "./addresses.ts";
import { debugIndex, rootPage } from "./debug-index.ts";
import { configzPage } from "./galley/configz.ts";
import { issuesPage } from "./galley/issues.ts";
import { resourceszPage } from "./galley/resourcesz.ts";
import { sourcesPage } from "./galley/sources.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { overloadPage } from "./overload.ts";
import { adszPage } from "./pilot/adsz.ts";
import { cachezPage } from "./pilot/cachez.ts";
import { configDumpPages } from "./pilot/config-dump.ts";
import { connectionsPage } from "./pilot/connections.ts";
import { distributionPage } from "./pilot/distribution.ts";
import { meshPages } from "./pilot/mesh-pages.ts";
import { nacksPage } from "./pilot/nacks.ts";
import { nearMissesPage } from "./pilot/near-misses.ts";
import { pushStatusPage } from "./pilot/push-status.ts";
import { resourcesPage } from "./pilot/resources.ts";
import { secretsPage } from "./pilot/secrets.ts";
import { synczPage } from "./pilot/syncz.ts";
import type { Emitter } from "./probes/emitter.ts";
import { healthz, ready } from "./probes/http-probes.ts";
import { json, type Route } from "./route.ts";
import type { Addresses, GalleyState, PilotState } from "./state.ts";

export function galleyPages(state: GalleyState): readonly Route[] {
  return [configzPage(state), sourcesPage(state), issuesPage(state), resourceszPage];
}

export function pilotPages(state: PilotState): readonly Route[] {
  return [
    synczPage(state),
    nacksPage(state),
    distributionPage(state),
    ...configDumpPages(state),
    resourcesPage(state),
    secretsPage(state),
    nearMissesPage(state),
    connectionsPage(state),
    adszPage(state),
    cachezPage(state),
    pushStatusPage(state),
    ...meshPages(state),
  ];
}

export interface HttpRoutesOptions {
  readonly emitters: readonly Emitter[];
  readonly addresses: () => Addresses;
  readonly build: BuildFacts;
  /** The pages of the parts in this process. */
  readonly pages: readonly Route[];
  /** The load of the process. */
  readonly overload: Overload;
  /** How often the main thread was stuck. */
  readonly stalls: () => number;
}

/** Every page of the HTTP port. */
export function httpRoutes({ emitters, addresses, build, pages, ...load }: HttpRoutesOptions): readonly Route[] {
  const { overload, stalls } = load;
  const own = [ready(emitters, overload), healthz, versionPage(build)];
  const all = [...own, ...pages, addressesPage(addresses), overloadPage(overload, stalls)];
  const indexed = [...all, ...debugIndex(all)];
  return [...indexed, rootPage(indexed)];
}

/** The running program, as `/version` shows it. */
export interface BuildFacts {
  readonly name: string;
  readonly version: string;
  readonly commit: string;
}

function versionPage(build: BuildFacts): Route {
  return { path: "/version", open: true, doc: "name, version and commit of the program", answer: () => json(build) };
}

/** Every page of the metrics port. */
export function metricsRoutes(metrics: Metrics, build: BuildFacts): readonly Route[] {
  return [
    {
      path: "/metrics",
      open: true,
      doc: "metrics in the format of Prometheus",
      answer: async () => ({
        status: 200,
        contentType: metrics.registry.contentType,
        body: await metrics.registry.metrics(),
      }),
    },
    versionPage(build),
  ];
}
