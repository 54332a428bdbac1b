import type { Logger } from "../../lib/logger.ts";
import type { Cancel } from "../../lib/time/clock.ts";

/** The listeners of a signer. One that fails does not keep the others from the new roots. */
export class ChangeListeners {
  readonly #listeners = new Set<() => void>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (thrown) {
        this.#logger.error({ err: thrown }, "change of the certificate authority not handled");
      }
    }
  }
}
