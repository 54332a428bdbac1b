import { conflictsPage } from "../../admin/pilot/conflicts.ts";
import type { Route } from "../../admin/route.ts";
import { createTurn } from "../../lib/time/turn.ts";
import { mergeConflicts } from "../../pilot/model/conflict.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import { type DanglingReference, danglingReferencesOf } from "../../pilot/model/traffic/dangling-references.ts";
import { conflictsAmong } from "../../pilot/xds/conflicts.ts";
import type { Pilot } from "../build-pilot.ts";
import { installConflictGauges } from "../gauges/conflict-gauges.ts";
import { conflictLog, danglingLog } from "../log/conflict-log.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { type Component, component } from "../process/lifecycle.ts";
import { PeriodicSearch } from "./periodic-search.ts";

/** Reports objects that conflict or have no target: as a page, log lines and metrics. */
export function conflictReport(
  { logs, metrics, supervisor }: Pick<ProcessContext, "logs" | "metrics" | "supervisor">,
  { discovery, environment }: Pick<Pilot, "discovery" | "environment">,
): { readonly component: Component; readonly page: Route } {
  const { catalogue } = discovery;
  const logger = logs.logger("xds");
  const originOf = environment.originOf.bind(environment);
  const proxies = () => Array.from(discovery.connections, ({ client }) => client);
  const among = (some: Iterable<Proxy>) => conflictsAmong(some, catalogue.types, catalogue.published);
  const dangling = () => danglingIn(catalogue.published);
  const clock = supervisor.clockFor("conflicts");
  const settings = { clock, turn: createTurn(clock), onError: supervisor.reporterFor("conflicts") };
  const conflictSearch = new PeriodicSearch({
    ...settings,
    ...conflictLog(logger, originOf),
    subject: () => [...objectsIn(catalogue.published), ...proxies().map(({ nodeId }) => nodeId)],
    search: () => among(proxies()),
    sum: mergeConflicts,
  });
  const danglingSearch = new PeriodicSearch({
    ...settings,
    ...danglingLog(logger, originOf),
    subject: () => objectsIn(catalogue.published),
    search: () => [dangling()],
    sum: (found) => found,
  });
  installConflictGauges(metrics, () => conflictSearch.findings);
  return {
    component: component("conflicts", {
      start: () => [conflictSearch, danglingSearch].forEach((search) => search.start()),
      stop: () => Promise.all([conflictSearch.stop(), danglingSearch.stop()]).then(() => undefined),
    }),
    page: conflictsPage({ proxies, conflictsAmong: among, dangling, originOf }),
  };
}

function danglingIn(push: PushContext): readonly DanglingReference[] {
  return [...push.virtualServices.values()].flatMap((each) => danglingReferencesOf(each, push));
}

/** Leaves out endpoints: they change all day and never conflict. */
function objectsIn(push: PushContext) {
  const { services, virtualServices, hostRules, gateways, sidecars, mesh } = push;
  const { extensions, telemetries, authorizationPolicies, extensionProviders } = push;
  const policies = [extensions, telemetries, authorizationPolicies, extensionProviders];
  return [services, virtualServices, hostRules, gateways, sidecars, mesh, ...policies];
}
