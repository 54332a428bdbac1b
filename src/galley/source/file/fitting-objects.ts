import type { Config } from "../../../config/config.ts";
import type { ParsedFile } from "../../../config/parse/parse.ts";
import type { Ledger } from "../room/ledger.ts";
import { objectBytes } from "../room/object-bytes.ts";

/**
 * Takes the objects that do not fit into memory out of the files of one look, before anything keeps them. Only the text
 * of these objects stays, to notice changes. The objects of a look are counted here: the ledger hears of them later.
 */
export class FittingObjects {
  readonly #ledger: Ledger | undefined;
  readonly #collectionOf: (config: Config) => string;
  #pendingBytes = 0;

  constructor(ledger: Ledger | undefined, collectionOf: (config: Config) => string) {
    this.#ledger = ledger;
    this.#collectionOf = collectionOf;
  }

  /** Whether a file with objects that were left out is worth another reading. */
  get hasRoom(): boolean {
    return this.#ledger?.hasRoom(this.#pendingBytes) === true;
  }

  /** The file without the objects that do not fit, and their number. */
  of(parsed: ParsedFile): { readonly parsed: ParsedFile; readonly leftOut: number } {
    const out = new Set<Config>(parsed.configs.filter((config) => !this.#fits(config)));
    if (out.size === 0) return { parsed, leftOut: 0 };
    const isKept = ({ objects }: ParsedFile["documents"][number]) =>
      !objects.some(({ config }) => config !== undefined && out.has(config));
    const configs = parsed.configs.filter((config) => !out.has(config));
    return { parsed: { ...parsed, configs, documents: parsed.documents.filter(isKept) }, leftOut: out.size };
  }

  /** Counts the objects of a file that did not change since the last look. */
  keep({ configs }: ParsedFile): void {
    for (const config of configs) this.#pendingBytes += this.#mayLeaveOut(config) ? objectBytes(config) : 0;
  }

  #mayLeaveOut(config: Config): boolean {
    return this.#ledger?.mayLeaveOut(this.#collectionOf(config), config) === true;
  }

  #fits(config: Config): boolean {
    if (this.#ledger === undefined || !this.#mayLeaveOut(config)) return true;
    const isFitting = this.#ledger.fits(config, this.#pendingBytes);
    if (isFitting) this.#pendingBytes += objectBytes(config);
    return isFitting;
  }
}
