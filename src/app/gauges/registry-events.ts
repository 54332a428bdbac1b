import type { Metrics } from "../../admin/metrics/metrics.ts";
import type { Collection, Commit } from "../../collection/collection.ts";
import { kinds } from "../../config/kinds.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import type { Pipeline } from "../pipeline.ts";

const events = { added: "add", updated: "update", removed: "delete" } as const;

/**
 * Counts incoming objects by kind, and registry events, with the metric names of Istio. Istio names them after
 * Kubernetes; here the events come from any source.
 */
export function countRegistryEvents(
  { metrics, supervisor }: Pick<ProcessContext, "metrics" | "supervisor">,
  { galley, processor, pilot, environment }: Pick<Pipeline, "galley" | "processor" | "pilot" | "environment">,
): void {
  const configs = metrics.counter(
    "pilot_k8s_cfg_events",
    "Objects that were added, updated and deleted, by kind.",
    "type",
    "event",
  );
  const registry = metrics.counter(
    "pilot_k8s_reg_events",
    "Services and endpoints that were added, updated and deleted.",
    "type",
    "event",
  );
  const ofGalley = (commit: Commit) => {
    for (const [name, output] of processor.outputs) count(configs, kindOf(name), commit, output);
  };
  const ofPilot = (commit: Commit) => {
    count(registry, "Services", commit, environment.services);
    count(registry, "EndpointSlice", commit, environment.endpoints);
  };
  galley.onCommit(supervisor.guard("registry events", ofGalley));
  pilot.onCommit(supervisor.guard("registry events", ofPilot));
}

type EventCounter = ReturnType<typeof Metrics.prototype.counter<"type" | "event">>;

function count<T>(counter: EventCounter, type: string, commit: Commit, collection: Collection<T>): void {
  for (const change of commit.changesOf(collection)) counter.inc({ type, event: events[change.type] });
}

/** By what the users call it, where it is one of their kinds. */
function kindOf(collection: string): string {
  const plural = collection.slice(collection.lastIndexOf("/") + 1);
  return kinds.find((kind) => kind.plural === plural)?.kind ?? plural;
}
