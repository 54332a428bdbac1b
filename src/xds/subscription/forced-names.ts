import type { Repetition } from "./repetition.ts";

/** Why a name leaves although it did not change. `asked` means that the client requested it. */
export type ForcedReason = Repetition | "asked";

/** The names that leave with the next answer even if they did not change, and the reasons. */
export class ForcedNames {
  #names: ReadonlySet<string> | "all" = new Set();
  readonly #reasons = new Set<ForcedReason>();

  get names(): ReadonlySet<string> | "all" {
    return this.#names;
  }

  get reasons(): ReadonlySet<ForcedReason> {
    return this.#reasons;
  }

  get isEmpty(): boolean {
    return this.#names !== "all" && this.#names.size === 0;
  }

  add(names: readonly string[] | "all", reason: ForcedReason): void {
    if (names.length === 0) return;
    this.#reasons.add(reason);
    this.#names = names === "all" || this.#names === "all" ? "all" : new Set([...this.#names, ...names]);
  }

  clear(): void {
    this.#names = new Set();
    this.#reasons.clear();
  }
}
