import { setImmediate } from "node:timers/promises";
import v8 from "node:v8";
import { Subscription } from "../../../src/xds/subscription/subscription.ts";

/** The live objects of some classes. */
export interface LiveCounts {
  readonly subscriptions: number;
  /** Indexes, and lists of listeners by name. */
  readonly maps: number;
  /** Lists of listeners. */
  readonly sets: number;
  /** Entries of memos: each branch of a memo has one. */
  readonly weakMaps: number;
}

/** Counts the live objects after garbage collection. Each count walks over the whole heap. */
export function liveCounts(): LiveCounts {
  return {
    subscriptions: v8.queryObjects(Subscription, { format: "count" }),
    maps: v8.queryObjects(Map, { format: "count" }),
    sets: v8.queryObjects(Set, { format: "count" }),
    weakMaps: v8.queryObjects(WeakMap, { format: "count" }),
  };
}

/** Objects dropped in this turn are garbage in the next. Objects released by finalizers are garbage one turn later. */
export async function collectGarbage(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.();
    await setImmediate();
  }
}
