import type { Metrics } from "./metrics.ts";

/** Metrics of Kubernetes sources, under Galley's names. Galley's label `error` has unbounded values, so it is left out. */
export class KubeSourceMetrics {
  readonly events;
  readonly errors;
  readonly converted;
  readonly unconverted;

  constructor(metrics: Metrics) {
    const source = "galley_source_kube";
    this.events = metrics.counter(
      `${source}_event_success_total`,
      "Objects that an API server added, changed or deleted.",
    );
    this.errors = metrics.counter(
      `${source}_event_error_total`,
      "Times that a source lost its API server, or stayed without it for a new reason.",
    );
    this.converted = metrics.counter(
      `${source}_dynamic_converter_success_total`,
      "Objects of an API server that were read. The group of Kubernetes' own kinds is `core`.",
      "apiVersion",
      "group",
      "kind",
    );
    this.unconverted = metrics.counter(
      `${source}_dynamic_converter_failure_total`,
      "Objects of an API server that have errors. Their last good version stays in use.",
      "apiVersion",
      "group",
      "kind",
    );
  }
}
