import { envoyFiltersPage } from "../../admin/pilot/envoy-filters.ts";
import type { Route } from "../../admin/route.ts";
import type { Logger } from "../../lib/logger.ts";
import { createTurn } from "../../lib/time/turn.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { type PatchReport, patchReports } from "../../pilot/xds/patch-effects.ts";
import type { Pilot } from "../build-pilot.ts";
import { installPatchGauges } from "../gauges/patch-gauges.ts";
import { type OriginOf, idWithPlace } from "../log/object-place.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { type Component, component } from "../process/lifecycle.ts";
import { PeriodicSearch } from "./periodic-search.ts";

/** A report without the parts that change when proxies connect and disconnect. */
type PatchFinding = Omit<PatchReport, "proxies" | "resources">;

/** Reports what became of the patches of EnvoyFilters: as a page, log lines and a metric. */
export function patchReport(
  { logs, metrics, supervisor }: Pick<ProcessContext, "logs" | "metrics" | "supervisor">,
  { discovery, environment }: Pick<Pilot, "discovery" | "environment">,
): { readonly component: Component; readonly page: Route } {
  const { catalogue } = discovery;
  const originOf = environment.originOf.bind(environment);
  const proxies = () => Array.from(discovery.connections, ({ client }) => client);
  const reports = (some: Iterable<Proxy>) => patchReports(some, catalogue.types, catalogue.published);
  const clock = supervisor.clockFor("conflicts");
  const search = new PeriodicSearch<PatchFinding>({
    ...patchLog(logs.logger("xds"), originOf),
    clock,
    turn: createTurn(clock),
    onError: supervisor.reporterFor("conflicts"),
    // Without a filter there is nothing to look for, whatever else changes.
    subject: () => {
      const { published } = catalogue;
      return published.envoyFilters.size === 0 ? [] : [published, ...proxies().map(({ nodeId }) => nodeId)];
    },
    search: () => [reports(proxies()).map(({ proxies: _proxies, resources: _resources, ...finding }) => finding)],
    sum: (found) => found,
  });
  installPatchGauges(metrics, () => search.findings);
  return {
    component: component("patches", { start: () => search.start(), stop: () => search.stop() }),
    page: envoyFiltersPage({ proxies, reports, originOf }),
  };
}

/** Logs each refused patch when it appears, and when it is gone. */
function patchLog(logger: Logger, originOf: OriginOf) {
  const fieldsOf = ({ owner, index, applyTo, operation, problems: [problem] }: PatchFinding) => ({
    object: idWithPlace(owner, originOf),
    patch: `configPatches[${index}]`,
    applyTo,
    operation,
    ...problem,
  });
  return {
    appeared: (finding: PatchFinding) => {
      if (finding.status === "invalid") logger.warn(fieldsOf(finding), "patch refused");
    },
    cleared: (finding: PatchFinding) => {
      if (finding.status === "invalid") logger.info(fieldsOf(finding), "patch no longer refused");
    },
  };
}
