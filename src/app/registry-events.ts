import type { Metrics } from "../admin/metrics.ts";
import type { Collection, Commit } from "../collection/collection.ts";
import type { Graph } from "../collection/graph.ts";
import { kinds } from "../config/kinds.ts";
import type { Environment } from "../pilot/registry/environment.ts";

const events = { added: "add", updated: "update", removed: "delete" } as const;

/**
 * Counts what comes in, as Istio does and under its names: objects by their kind, and what is registered. They are
 * called after Kubernetes there, and here come from wherever the mesh is kept.
 */
export function countRegistryEvents(metrics: Metrics, graph: Graph, environment: Environment): void {
  const configs = metrics.counter("pilot_k8s_cfg_events", "Objects that came, changed and went.", "type", "event");
  const registry = metrics.counter(
    "pilot_k8s_reg_events",
    "Services and endpoints that came, changed and went.",
    "type",
    "event",
  );
  const registered: readonly (readonly [type: string, collection: Collection<unknown>])[] = [
    ["Services", environment.services],
    ["EndpointSlice", environment.endpoints],
  ];
  graph.onCommit((commit) => {
    for (const [name, input] of environment.inputs) count(configs, kindOf(name), commit, input);
    for (const [type, collection] of registered) count(registry, type, commit, collection);
  });
}

type EventCounter = ReturnType<typeof Metrics.prototype.counter<"type" | "event">>;

function count(counter: EventCounter, type: string, commit: Commit, collection: Collection<unknown>): void {
  for (const change of commit.changesOf(collection)) counter.inc({ type, event: events[change.type] });
}

/** By what the users call it, where it is one of their kinds. */
function kindOf(collection: string): string {
  const plural = collection.slice(collection.lastIndexOf("/") + 1);
  return kinds.find((kind) => kind.plural === plural)?.kind ?? plural;
}
