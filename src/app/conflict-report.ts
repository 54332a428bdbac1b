import { conflicts } from "../admin/conflicts.ts";
import type { Route } from "../admin/route.ts";
import type { Proxy } from "../pilot/model/proxy.ts";
import { conflictsAmong } from "../pilot/xds/conflicts.ts";
import type { Pilot } from "./build-pilot.ts";
import { installConflictGauges } from "./conflict-gauges.ts";
import { ConflictWatch } from "./conflict-watch.ts";
import { type Component, component } from "./lifecycle.ts";
import type { Ground } from "./parts/part.ts";
import { createTurn } from "./turn.ts";

/** What is said of conflicts in what proxies are sent: a page, log lines and metrics. */
export function conflictReport(
  { clock, logs, metrics }: Pick<Ground, "clock" | "logs" | "metrics">,
  { discovery, environment }: Pick<Pilot, "discovery" | "environment">,
): { readonly component: Component; readonly page: Route } {
  const { catalogue } = discovery;
  const proxies = () => Array.from(discovery.connections, ({ client }) => client);
  const among = (some: Iterable<Proxy>) => conflictsAmong(some, catalogue.types, catalogue.published);
  const originOf = environment.originOf.bind(environment);
  const watch = new ConflictWatch({
    clock,
    turn: createTurn({ clock, everyMs: 5 }),
    subject: () => {
      // Endpoints come and go all day, and nobody is at odds over them.
      const { services, virtualServices, hostRules, gateways, sidecars, mesh } = catalogue.published;
      const nodes = proxies().map(({ nodeId }) => nodeId);
      return [services, virtualServices, hostRules, gateways, sidecars, mesh, nodes.join()];
    },
    look: () => among(proxies()),
    originOf,
    logger: logs.logger("xds"),
  });
  installConflictGauges(metrics, () => watch.conflicts);
  return {
    component: component("conflicts", { start: () => watch.start(), stop: () => watch.stop() }),
    page: conflicts({ proxies, conflictsAmong: among, originOf }),
  };
}
