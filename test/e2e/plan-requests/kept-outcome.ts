import type { PlannedRequest } from "../../../src/plan/plan.ts";
import type { HttpReply } from "../support/http.ts";

type Outcome = PlannedRequest["before"];

/** The workloads of the shop behind a cluster. */
function workloadsOf(cluster: string): readonly string[] {
  const [, , subset = "", host = ""] = cluster.split("|");
  if (host.startsWith("ratings.")) return ["ratings"];
  return subset === "" ? ["v1", "v2"] : [subset];
}

/** Whether an answer of a real Envoy is the one that a plan tells. Undefined if the plan does not know it. */
export function isKeptOutcome(outcome: Outcome, { status, headers, body }: HttpReply): boolean | undefined {
  switch (outcome.type) {
    case "forwarded": {
      const failing = outcome.targets.filter(({ problem }) => problem !== undefined);
      if (failing.length === outcome.targets.length) return status === 503;
      if (failing.length > 0) return undefined;
      const echo = String(headers["x-echo"]);
      return status === 200 && outcome.targets.some(({ cluster }) => workloadsOf(cluster).includes(echo));
    }
    case "redirect":
      return status === outcome.status && outcome.text === `a redirect (${status}) to ${headers.location}`;
    case "response":
    case "refused":
      return outcome.status === undefined ? undefined : status === outcome.status && headers["x-echo"] === undefined;
    case "accepted":
    case "unknown":
      return undefined;
    default:
      throw new Error(`an outcome without a rule: ${body}`);
  }
}
