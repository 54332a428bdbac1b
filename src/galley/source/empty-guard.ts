import { MeshError } from "../../lib/errors.ts";
import type { Clock } from "../../lib/time/clock.ts";

/** How long an origin must list nothing before its objects count as gone. */
export const emptyGraceMs = 30_000;

/**
 * Doubts an origin that lists nothing of what it had: after a restart with the wrong disk, or behind a broken proxy, a
 * server answers with success and no objects. Its objects stay until every full read of half a minute was empty. The
 * guard is for full reads only, because deletions that an origin reports one by one are meant.
 */
export class EmptyGuard {
  readonly #clock: Clock;
  /** When the first of the empty reads in a row ended. */
  #emptySince: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws while this full read is doubtful. `what` is the subject of the sentence, such as `the store`. */
  check(what: string, held: number, found: number): void {
    const now = this.#clock.now();
    if (found > 0 || held === 0) this.#emptySince = undefined;
    else if (now - (this.#emptySince ??= now) < emptyGraceMs)
      throw new MeshError("source-unavailable", emptyReason(what, held));
    else this.#emptySince = undefined;
  }
}

/** The reason to show. `what` is the subject of the sentence, such as `the store`. */
export function emptyReason(what: string, held: number): string {
  const objects = held === 1 ? "the object" : `the ${held} objects`;
  const stay = held === 1 ? "it stays" : "they stay";
  return `${what} lists none of ${objects} that it had; ${stay} in use for ${emptyGraceMs / 1000} s`;
}
