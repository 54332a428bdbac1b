import type { ConfigId } from "../../../../config/config.ts";
import type { ObjectRollout } from "../../rollout/object-rollout.ts";
import type { MissingAnswer } from "./missing-answer.ts";

/** The state that somebody waits for. `acked` differs from `live` only in the proxies: they must be connected. */
export const goals = ["live", "acked", "rejected", "deleted"] as const;
export type Goal = (typeof goals)[number];

/**
 * How far an object is.
 * - `live`: all proxies that it reaches have accepted its content.
 * - `deleted`: it is gone, and all proxies have accepted a state without it.
 * - `pending`: answers are missing.
 * - `rejected`: a proxy rejected it, or does not get it because proxies of its class reject it.
 * - `staged`: a rollout brings it to the proxies in waves, and has not ended.
 * - `halted`: its rollout is halted, and all proxies have the version from before.
 * - `unused`: no connected proxy has a resource that is built from it, and no push carried its changes to a proxy.
 * - `unknown`: the server has no valid object of this name. `excluded`: the server ignores this kind.
 * - `other content`: the server has not read the awaited content.
 * - `present`: the object is there, and its deletion is awaited.
 */
export type ObjectState =
  | "live"
  | "deleted"
  | "pending"
  | "rejected"
  | "staged"
  | "halted"
  | "unused"
  | "unknown"
  | "excluded"
  | "other content"
  | "present";

/** The answer of one proxy that is missing. */
export interface MissingProxy extends MissingAnswer {
  readonly node: string;
  readonly namespace: string;
}

/** How far the content of an object is at the proxies of this server. */
export interface ObjectReport {
  readonly id: ConfigId;
  readonly goal: Goal;
  readonly state: ObjectState;
  /** The goal is reached. */
  readonly isMet: boolean;
  /** The goal cannot be reached before something else changes. */
  readonly isFinal: boolean;
  /** The content that the server has: a hash. Empty if there is none. */
  readonly version: string;
  /** The hash of the content as its author wrote it, see `appliedVersion`. */
  readonly contentHash: string;
  readonly reference: string;
  readonly source: string;
  /** The content waits for its push. */
  readonly waits: boolean;
  /** `connected`: the proxies that count. `reached`: they have resources of the object, or miss an answer. */
  readonly proxies: { readonly connected: number; readonly reached: number; readonly live: number };
  readonly missing: readonly MissingProxy[];
  /** The rollout of the content, if it has not ended. */
  readonly rollout: ObjectRollout | undefined;
}
