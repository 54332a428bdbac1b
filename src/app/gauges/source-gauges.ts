import type { SourceReport } from "../../admin/galley/sources.ts";
import type { Metrics } from "../../admin/metrics/metrics.ts";

/** Installs gauges for the objects and the health of sources, computed at each scrape. */
export function installSourceGauges(metrics: Metrics, reports: () => readonly SourceReport[]): void {
  metrics.observe({
    type: "gauge",
    name: "binnacle_source_objects",
    help: "Objects of a source, by collection. Objects that lose a name clash count too.",
    labels: ["source", "collection"],
    values: () =>
      reports().flatMap(({ name: source, collections }) =>
        collections.map(({ collection, objects }) => [{ source, collection }, objects] as const),
      ),
  });
  metrics.observe({
    type: "gauge",
    name: "binnacle_source_left_out_objects",
    help: "Objects of a source that are not served, because new objects do not fit into memory.",
    labels: ["source"],
    values: () => perSource(reports(), ({ leftOut }) => leftOut),
  });
  metrics.observe({
    type: "gauge",
    name: "binnacle_source_stale_seconds",
    help: "Time since the source became stale. 0 while it is current.",
    labels: ["source"],
    values: () =>
      perSource(reports(), ({ staleSince }) => (staleSince ? (Date.now() - staleSince.getTime()) / 1000 : 0)),
  });
  metrics.observe({
    type: "counter",
    name: "binnacle_source_syncs_total",
    help: "Full syncs of a source.",
    labels: ["source"],
    values: () => perSource(reports(), ({ syncs }) => syncs),
  });
  metrics.observe({
    type: "counter",
    name: "binnacle_source_errors_total",
    help: "Times that a source became stale, or stayed stale for a new reason.",
    labels: ["source"],
    values: () => perSource(reports(), ({ errors }) => errors),
  });
}

function perSource(reports: readonly SourceReport[], value: (report: SourceReport) => number) {
  return reports.map((report) => [{ source: report.name }, value(report)] as const);
}
