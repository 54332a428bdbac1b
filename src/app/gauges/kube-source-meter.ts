import type { KubeSourceMetrics } from "../../admin/metrics/kube-source-metrics.ts";
import { apiVersionOf } from "../../config/kind.ts";
import { kinds } from "../../config/kinds.ts";
import type { Source, SourceEvent } from "../../galley/source/source.ts";

/** Whether the source reads an API server. */
export function isKubeSource({ name }: Pick<Source, "name">): boolean {
  return name.startsWith("kube:");
}

/** Counts the events of a Kubernetes source as Galley does. */
export function countKubeEvents(metrics: KubeSourceMetrics, events: readonly SourceEvent[]): void {
  for (const event of events) countEvent(metrics, event);
}

function countEvent({ events, errors, converted, unconverted }: KubeSourceMetrics, event: SourceEvent): void {
  switch (event.type) {
    case "upserted":
      events.inc();
      converted.inc(labelsOf(event.config.apiVersion, event.config.kind));
      return;
    case "deleted":
      events.inc();
      return;
    case "stale":
      errors.inc();
      return;
    case "issues":
      if (event.issues.some(({ severity }) => severity === "error")) unconverted.inc(labelsOfPart(event.part));
      return;
    case "fullSync":
    case "reset":
    case "overdue":
    case "fresh":
      return;
  }
}

function labelsOf(apiVersion: string, kind: string) {
  const [version = "", group = "core"] = apiVersion.split("/").toReversed();
  return { apiVersion: version, group, kind };
}

/** The part of an issue is `Kind key`. A part without a kind, such as a resource that may not be read, is `unknown`. */
function labelsOfPart(part: string) {
  const [name = ""] = part.split(" ");
  const row = kinds.find(({ kind }) => kind === name);
  return row === undefined ? { apiVersion: "", group: "", kind: "unknown" } : labelsOf(apiVersionOf(row), row.kind);
}
