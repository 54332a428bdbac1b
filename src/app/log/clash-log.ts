import type { Graph } from "../../collection/graph.ts";
import type { DuplicateObject, Processor } from "../../galley/processor/processor.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Supervisor } from "../../lib/supervisor.ts";
import type { SupervisedPart } from "../parts/supervised-parts.ts";

/** Logs each name clash between sources once when it appears and once when it is resolved. */
export function logClashes(
  galley: Graph,
  processor: Pick<Processor, "clashes">,
  { logger, supervisor }: { readonly logger: Logger; readonly supervisor: Supervisor<SupervisedPart> },
): void {
  let known = new Map<string, DuplicateObject>();
  const look = () => {
    const before = known;
    const now = new Map(processor.clashes().map((clash) => [JSON.stringify(clash), clash]));
    known = now;
    for (const [id, clash] of now) if (!before.has(id)) logger.warn(fieldsOf(clash), "config name clash");
    for (const [id, clash] of before) if (!now.has(id)) logger.info(fieldsOf(clash), "config name clash cleared");
  };
  galley.onCommit(supervisor.guard("clash log", look, { again: look }));
}

function fieldsOf({ collection, key, claimants: [winner, ...ignored] }: DuplicateObject) {
  return { collection, key, winner, ignored };
}
