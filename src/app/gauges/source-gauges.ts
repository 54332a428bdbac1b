import type { SourceReport } from "../../admin/galley/sources.ts";
import type { Metrics } from "../../admin/metrics/metrics.ts";

/** Installs gauges for the objects and the health of sources, computed at each scrape. */
export function installSourceGauges(metrics: Metrics, reports: () => readonly SourceReport[]): void {
  metrics.observe({
    type: "gauge",
    name: "binnacle_source_objects",
    help: "Objects that a source has, used or not, by collection.",
    labels: ["source", "collection"],
    values: () =>
      reports().flatMap(({ name: source, collections }) =>
        collections.map(({ collection, objects }) => [{ source, collection }, objects] as const),
      ),
  });
  metrics.observe({
    type: "gauge",
    name: "binnacle_source_stale_seconds",
    help: "For how long a source cannot follow what it reads from; 0 while it can.",
    labels: ["source"],
    values: () =>
      perSource(reports(), ({ staleSince }) => (staleSince ? (Date.now() - staleSince.getTime()) / 1000 : 0)),
  });
  metrics.observe({
    type: "counter",
    name: "binnacle_source_syncs_total",
    help: "How often a source has told all it has.",
    labels: ["source"],
    values: () => perSource(reports(), ({ syncs }) => syncs),
  });
  metrics.observe({
    type: "counter",
    name: "binnacle_source_errors_total",
    help: "How often a source lost sight of what it reads from, or said another reason for it.",
    labels: ["source"],
    values: () => perSource(reports(), ({ errors }) => errors),
  });
}

function perSource(reports: readonly SourceReport[], value: (report: SourceReport) => number) {
  return reports.map((report) => [{ source: report.name }, value(report)] as const);
}
