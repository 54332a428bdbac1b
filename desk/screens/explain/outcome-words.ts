import type { ExplainedOutcome, ExplainedTarget } from "../../../src/desk/api/model/explain.ts";
import { sentence } from "../../parts/quantity.ts";
import type { Tone } from "../../parts/status.tsx";

/** The outcome of a request in one sentence. */
export function outcomeWords(outcome: ExplainedOutcome): readonly [Tone, string] {
  switch (outcome.type) {
    case "forwarded":
      return [
        outcome.targets.some(({ problem }) => problem !== undefined) ? "warning" : "ok",
        sentence(`forwarded ${outcome.targets.map(targetWords).join(", ")}`),
      ];
    case "response":
      return ["info", sentence(`answered by the proxy with status ${outcome.status}`)];
    case "redirect":
      return ["info", sentence(`redirected with status ${outcome.status} to ${outcome.location}`)];
    case "refused":
      return [
        "error",
        outcome.status === undefined
          ? sentence(`refused, the connection is closed: ${outcome.reason}`)
          : sentence(`refused with status ${outcome.status}: ${outcome.reason}`),
      ];
    case "accepted":
      return ["ok", sentence(`accepted: ${outcome.reason}`)];
    case "unknown":
    default:
      return ["off", sentence(`unknown: ${outcome.reason}`)];
  }
}

function targetWords({ cluster, share, problem }: ExplainedTarget): string {
  const part = share < 1 ? `${percent(share)} ` : "";
  return `${part}to ${cluster}${problem === undefined ? "" : ` (${problem})`}`;
}

export function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
