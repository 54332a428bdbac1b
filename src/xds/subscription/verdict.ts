import { find, type Target } from "../resources/target.ts";
import type { Subscription } from "./subscription.ts";

/** A client's verdict about its target. */
export type Verdict =
  | { readonly type: "pending" }
  | { readonly type: "accepted" }
  | { readonly type: "rejected"; readonly reason: string };

/**
 * The verdict is pending while an answer is due or unacknowledged. A rejected version that the target still contains is
 * not sent again, so it counts as rejected.
 */
export function verdictOn(target: Target, subscription: Subscription): Verdict {
  const { inFlight, type, answered, rejected } = subscription;
  const awaited = inFlight !== undefined && type.neverAcknowledged !== true;
  if (!answered || awaited || subscription.due(target, { mayRemove: () => false }) !== undefined) {
    return { type: "pending" };
  }
  for (const [name, reason] of rejected) if (find(target, name) !== undefined) return { type: "rejected", reason };
  return { type: "accepted" };
}

/** Rejected if one type is rejected, else pending if one is pending. */
export function verdictOnAll(verdicts: readonly Verdict[]): Verdict {
  const rejected = verdicts.find(({ type }) => type === "rejected");
  return rejected ?? verdicts.find(({ type }) => type === "pending") ?? { type: "accepted" };
}
