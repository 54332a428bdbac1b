import type { Problem } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import { originIn } from "../../config/config.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Supervisor } from "../../lib/supervisor.ts";
import type { SupervisedPart } from "../parts/supervised-parts.ts";

/** Logs each derivation that starts to fail, once. Its last good output is still served, so only the log shows it. */
export function logProblems(graph: Graph, logger: Logger, supervisor: Supervisor<SupervisedPart>): void {
  let known = new Set<string>();
  const look = () => {
    const { problems } = graph;
    const before = known;
    known = new Set(problems.map(identityOf));
    for (const problem of problems) {
      if (before.has(identityOf(problem))) continue;
      const { derivation, input, value, cause } = problem;
      logger.error({ derivation, input, reference: originIn(value)?.reference, err: cause }, "derivation failed");
    }
  };
  graph.onCommit(supervisor.guard("problem log", look, { again: look }));
}

function identityOf({ derivation, input, cause }: Problem): string {
  return JSON.stringify([derivation, input, cause.message]);
}
