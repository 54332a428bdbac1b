import type { Viewer } from "../../admin/viewer.ts";
import type { EventHub } from "../events/event-hub.ts";

/** An answer of the API, encoded. */
export interface EncodedAnswer {
  readonly status: number;
  readonly text: string;
}

const maxKept = 100;
/** Events reach desks at most this often, so a list need not be newer. */
const maxAgeMs = 250;

interface Kept {
  readonly at: number;
  readonly answer: Promise<EncodedAnswer>;
}

/**
 * Lets desks with equal rights share an answer: after an event, ten open desks ask for the same list at the same time. An
 * answer is shared until the next events leave, so that nobody gets an answer from before an event that it has. With fewer
 * than two desks nothing is kept.
 */
export class SharedAnswers {
  readonly #hub: Pick<EventHub, "readers" | "newest">;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  #newest = "";

  constructor(hub: Pick<EventHub, "readers" | "newest">, now: () => number) {
    this.#hub = hub;
    this.#now = now;
  }

  /** `question` is the path with its parameters. */
  async answer(viewer: Viewer, question: string, make: () => Promise<EncodedAnswer>): Promise<EncodedAnswer> {
    if (this.#hub.readers < 2) {
      this.clear();
      return await make();
    }
    if (this.#newest !== this.#hub.newest || this.#kept.size >= maxKept) this.clear();
    this.#newest = this.#hub.newest;
    const key = `${viewer.type === "system" ? "operators" : `namespace ${viewer.namespace}`} ${question}`;
    const now = this.#now();
    const known = this.#kept.get(key);
    if (known !== undefined && now - known.at < maxAgeMs) return await known.answer;
    const answer = make();
    this.#kept.set(key, { at: now, answer });
    return await answer;
  }

  /** Somebody changed the state of the server. */
  clear(): void {
    this.#kept.clear();
  }
}
