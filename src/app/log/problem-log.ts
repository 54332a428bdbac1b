import type { Problem } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import { originIn } from "../../config/origin-in.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Supervisor } from "../../lib/supervisor.ts";

/** Logs each derivation that starts to fail, once. Its last good output is still served, so nobody else would tell. */
export function logProblems(graph: Graph, logger: Logger, supervisor: Supervisor): void {
  let known = new Set<string>();
  const look = () => {
    const { problems } = graph;
    for (const problem of problems) {
      const { derivation, input, value, cause } = problem;
      const reference = originIn(value)?.reference;
      if (!known.has(identityOf(problem)))
        logger.error({ derivation, input, reference, err: cause }, "derivation failed");
    }
    known = new Set(problems.map(identityOf));
  };
  graph.onCommit(supervisor.guard("problem log", look));
}

function identityOf({ derivation, input, cause }: Problem): string {
  return JSON.stringify([derivation, input, cause.message]);
}
