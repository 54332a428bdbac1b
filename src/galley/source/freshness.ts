import type { SourceEvent } from "./source.ts";

/** Whether a source can follow what it reads from, as it was last said. Gives what there is to say when that changes. */
export class Freshness {
  #staleReason: string | undefined;

  /** It cannot follow, for this reason: nothing to say where that is known. */
  stale(reason: string): readonly SourceEvent[] {
    if (reason === this.#staleReason) return [];
    this.#staleReason = reason;
    return [{ type: "stale", reason }];
  }

  /** It follows, and has said what it missed. */
  fresh(): readonly SourceEvent[] {
    if (this.#staleReason === undefined) return [];
    this.#staleReason = undefined;
    return [{ type: "fresh" }];
  }
}
