import type { Metrics } from "./metrics.ts";

/** Counts the events of the quarantine. `installQuarantineGauge` has the number of objects in it. */
export class QuarantineMetrics {
  readonly quarantined;
  readonly releases;
  /** By result: `found`, `inconclusive` or `failed`. */
  readonly searches;
  readonly probes;

  constructor(metrics: Metrics) {
    this.quarantined = metrics.counter(
      "binnacle_quarantined_objects_total",
      "Objects that were kept away from a class of proxies, because a proxy of the class refused them.",
    );
    this.releases = metrics.counter(
      "binnacle_quarantine_releases_total",
      "Quarantined objects that a class of proxies gets again: in a new version, after a retry or a release, or because they are gone.",
    );
    this.searches = metrics.counter(
      "binnacle_quarantine_searches_total",
      "Searches for the object that a proxy refuses, by result: found, inconclusive (no object explains the rejection) or failed.",
      "result",
    );
    // From the start, so that Prometheus sees the first increase.
    for (const result of ["found", "inconclusive", "failed"]) this.searches.inc({ result }, 0);
    this.probes = metrics.counter(
      "binnacle_quarantine_probes_total",
      "Configurations that were tried on a proxy to find an object that it refuses.",
    );
  }
}
