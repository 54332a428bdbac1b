import type { Graph } from "../../collection/graph.ts";
import type { Clash, Processor } from "../../galley/processor/processor.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Supervisor } from "../../lib/supervisor.ts";

/** Says which objects several sources have under one name, and which no longer. */
export function logClashes(
  galley: Graph,
  processor: Pick<Processor, "clashes">,
  { logger, supervisor }: { readonly logger: Logger; readonly supervisor: Supervisor },
): void {
  let known = new Map<string, Clash>();
  const look = () => {
    const now = new Map(processor.clashes().map((clash) => [JSON.stringify(clash), clash]));
    for (const [id, clash] of now) if (!known.has(id)) logger.warn(fieldsOf(clash), "config name clash");
    for (const [id, clash] of known) if (!now.has(id)) logger.info(fieldsOf(clash), "config name clash cleared");
    known = now;
  };
  galley.onCommit(supervisor.guard("clash log", look));
}

function fieldsOf({ collection, key, claimants: [winner, ...ignored] }: Clash) {
  return { collection, key, winner, ignored };
}
