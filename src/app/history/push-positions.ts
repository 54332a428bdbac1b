import type { StartedPush } from "../../pilot/xds/observer.ts";
import { NewestValues } from "./newest-values.ts";

/** Pushes whose positions are known. A proxy is looked at every few seconds, so older ones are not asked for. */
const maxPushes = 10_000;

/**
 * How far each push reaches in Galley's commits: all commits up to its position are in it. A change of Pilot's graph
 * arrives while its commit of Galley is under way, and waits for its push. Pushes of endpoints overtake it.
 */
export class PushPositions {
  #noted = 0;
  /** By the commit of Pilot's graph that waits for a push: the last commit of Galley before it. */
  readonly #waiting = new Map<number, number>();
  readonly #pushes = new NewestValues(maxPushes);

  /** Must listen to Galley's graph after the snapshots are taken. */
  committed(sequence: number): void {
    this.#noted = sequence;
  }

  /** A push of these commits of Pilot's graph follows. */
  requested(commits: readonly number[]): void {
    for (const commit of commits) this.#waiting.set(commit, this.#noted);
  }

  pushStarted({ number, commits }: Pick<StartedPush, "number" | "commits">): void {
    for (const commit of commits) this.#waiting.delete(commit);
    this.#pushes.add(number, this.published);
  }

  /** The position of the newest push, with the commits after it that concern no proxy. */
  get published(): number {
    return this.#waiting.values().reduce((least, position) => Math.min(least, position), this.#noted);
  }

  /** The position of the last push before this one. */
  before(push: number): number {
    return this.#pushes.at(push - 1) ?? 0;
  }
}
