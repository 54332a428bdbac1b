import type { Cancel } from "../../../lib/time/clock.ts";
import type { QuarantineOptions } from "./quarantine-options.ts";
import type { Refusals } from "./refusals.ts";
import type { Rejections } from "./rejections.ts";
import type { Trials } from "./trials.ts";

export interface ReviewsOptions extends Pick<QuarantineOptions, "clock" | "connections"> {
  readonly refusals: Pick<Refusals, "scopes">;
  readonly rejections: Pick<Rejections, "search">;
  readonly trials: Pick<Trials, "tryAgain" | "confirm" | "unconfirmed" | "isAwaited">;
}

const reviewAfterMs = 1_000;

/**
 * Looks for work that no event announces: rejections that came during another search, refusals that a second proxy has
 * to confirm, and refused objects that are due for another try.
 */
export class Reviews {
  readonly #options: ReviewsOptions;
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(options: ReviewsOptions) {
    this.#options = options;
  }

  /** Reviews soon, and until nothing is left to wait for. */
  request(): void {
    if (this.#stopped) return;
    this.#cancel ??= this.#options.clock.after(reviewAfterMs, () => {
      this.#cancel = undefined;
      this.#review();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #review(): void {
    const { rejections, refusals, trials } = this.#options;
    const connections = [...this.#options.connections()];
    // Nobody can try anything. The next proxy that accepts everything asks for a review.
    if (connections.length === 0) return;
    for (const connection of connections) {
      if (connection.verdict.type === "rejected") rejections.search(connection);
    }
    for (const { scope, refusals: all } of refusals.scopes) {
      trials.tryAgain(scope);
      trials.confirm(scope);
      const isDueLater = [...all.values()].some((each) => each.retryAt !== undefined || trials.isAwaited(each));
      if (isDueLater || trials.unconfirmed(scope).length > 0) this.request();
    }
  }
}
