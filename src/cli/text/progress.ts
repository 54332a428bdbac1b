import type { Cancel, Clock } from "../../lib/time/clock.ts";
import type { Terminal } from "../command.ts";

/** Shows progress while work is awaited. Clears it before anything else is printed. */
export async function withProgress<T>(
  terminal: Pick<Terminal, "showStatus" | "clock">,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  using _progress = new Progress(terminal, () => what);
  return await work();
}

/** Work that ends sooner shows no progress. */
const patienceMs = 1_000;

/**
 * Shows the progress of slow work on a terminal: after one second, then every second, until it is disposed. Without a
 * terminal, it shows nothing. Work that blocks the thread calls `tick` between its steps.
 */
export class Progress implements Disposable {
  readonly #show: ((text: string) => void) | undefined;
  readonly #clock: Clock;
  readonly #what: () => string;
  readonly #since: number;
  #shownAt: number;
  #cancel: Cancel = () => {};

  constructor({ showStatus, clock }: Pick<Terminal, "showStatus" | "clock">, what: () => string) {
    this.#show = showStatus;
    this.#clock = clock;
    this.#what = what;
    this.#since = clock.now();
    this.#shownAt = this.#since;
    if (showStatus !== undefined) this.#wait();
  }

  tick(): void {
    const now = this.#clock.now();
    if (now - this.#shownAt < patienceMs) return;
    this.#shownAt = now;
    this.#show?.(`${this.#what()} … ${Math.floor((now - this.#since) / 1_000)} s`);
  }

  [Symbol.dispose](): void {
    this.#cancel();
    if (this.#shownAt > this.#since) this.#show?.("");
  }

  #wait(): void {
    this.#cancel = this.#clock.after(patienceMs, () => {
      this.tick();
      this.#wait();
    });
  }
}
