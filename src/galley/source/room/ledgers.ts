import { Ledger, type LedgerOptions } from "./ledger.ts";

/** The ledgers of all sources, by the name of the source. A source that decides by itself shares it with its wrapper. */
export class Ledgers {
  readonly #options: LedgerOptions;
  readonly #ledgers = new Map<string, Ledger>();

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  of(source: string): Ledger {
    const ledger = this.#ledgers.get(source) ?? new Ledger(this.#options);
    this.#ledgers.set(source, ledger);
    return ledger;
  }
}
