import { errorFrom, MeshError } from "../../../lib/errors.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** The pause between two checks, and the time limit of one check. */
  readonly everyMs: number;
  /** Rejects when something is wrong. */
  readonly check: () => Promise<unknown>;
  readonly onFailure: (reason: Error) => void;
}

/** Detects silent failures: a server that hangs, a server cut off from the others, a dead connection. */
export class Heartbeat implements Disposable {
  readonly #options: HeartbeatOptions;
  #cancel: Cancel;
  #beating = true;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#cancel = this.#pause();
  }

  [Symbol.dispose](): void {
    this.#beating = false;
    this.#cancel();
  }

  #pause(): Cancel {
    const { clock, everyMs } = this.#options;
    return clock.after(everyMs, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    const { clock, everyMs, check, onFailure } = this.#options;
    this.#cancel = clock.after(everyMs, () => onFailure(new MeshError("timeout", `no response for ${everyMs} ms`)));
    try {
      await check();
      this.#cancel();
      if (this.#beating) this.#cancel = this.#pause();
    } catch (thrown) {
      this.#cancel();
      if (this.#beating) onFailure(errorFrom(thrown));
    }
  }
}
