import type { ChangeState, ChangeSummary, Delivery } from "../../../src/desk/api/model/changes.ts";
import { count, counted } from "../../parts/quantity.ts";
import type { Share } from "../../parts/meter.tsx";
import type { Tone } from "../../parts/status.tsx";

/** The state of a change in a few words. */
export function stateWords({ state, delivery }: ChangeSummary): readonly [Tone, string] {
  switch (state.type) {
    case "not pushed":
      return ["off", "no push needed"];
    case "waiting":
      return ["wait", "waiting for the push"];
    case "failed":
      return ["error", "push failed"];
    case "sending":
      return ["wait", delivery === undefined ? "on its way" : `on its way: ${answered(delivery)}`];
    case "acknowledged":
      return ["ok", acknowledgedWords(delivery)];
    case "rejected":
    default:
      return [
        "error",
        delivery === undefined ? "rejected" : `rejected by ${counted(delivery.rejected, "proxy", "proxies")}`,
      ];
  }
}

function answered({ sent, acknowledged, rejected }: Delivery): string {
  return `${count(acknowledged + rejected)} of ${count(sent)} answered`;
}

function acknowledgedWords(delivery: Delivery | undefined): string {
  if (delivery === undefined) return "acknowledged";
  if (delivery.sent === 0) return "no connected proxy is affected";
  return `acknowledged by all ${count(delivery.acknowledged)}`;
}

/** Whether the change still moves. */
export function isMoving({ type }: ChangeState): boolean {
  return type === "waiting" || type === "sending";
}

export function sharesOf({ acknowledged, rejected, behind, disconnected }: Delivery): readonly Share[] {
  return [
    { tone: "ok", word: "acknowledged", value: acknowledged },
    { tone: "wait", word: "behind", value: behind },
    { tone: "error", word: "rejected", value: rejected },
    { tone: "off", word: "disconnected", value: disconnected },
  ];
}
