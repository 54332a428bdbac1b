import type { SourceEvent } from "./source.ts";

/** Whether a source can follow its origin, as last reported. Returns the events to report when that changes. */
export class Freshness {
  #staleReason: string | undefined;

  /** The source cannot follow its origin, for this reason. No events if the reason is already reported. */
  stale(reason: string): readonly SourceEvent[] {
    if (reason === this.#staleReason) return [];
    this.#staleReason = reason;
    return [{ type: "stale", reason }];
  }

  /** The source follows its origin and has reported the missed changes. */
  fresh(): readonly SourceEvent[] {
    if (this.#staleReason === undefined) return [];
    this.#staleReason = undefined;
    return [{ type: "fresh" }];
  }
}
