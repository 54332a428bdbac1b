import { readFile } from "node:fs/promises";
import type { Clock } from "../../lib/time/clock.ts";
import { Debouncer } from "../../lib/time/debouncer.ts";

/** Certificate and key are two files, and a secret is often several more: this pause makes them one change. */
const settleMs = 100;
const maxSettleMs = 1000;

/** What tells when files change. Paths are followed anew at each look, then what was not is let go. */
export interface Watch {
  follow(path: string): Promise<void>;
  sweep(): void;
  close(): void;
}

/** How files are watched, and who hears of it. */
export interface ReloadSettings {
  readonly clock: Clock;
  readonly openWatch: (changed: () => void) => Watch;
  /** A change was no good: what was read before stays in use. */
  readonly onError: (error: unknown) => void;
}

export interface ReloadedFilesOptions extends ReloadSettings {
  readonly files: readonly string[];
  /** Takes the texts of all files, in their order: at the start, and whenever one has changed. Throws to refuse them. */
  readonly use: (texts: readonly string[]) => void;
}

/** Files that belong together, read again whenever one of them changes. */
export class ReloadedFiles {
  readonly #options: ReloadedFilesOptions;
  readonly #reloads: Debouncer;
  #watch: Watch | undefined;
  /** What was read last, good or bad: only what differs is news. */
  #seen: readonly string[] = [];

  constructor(options: ReloadedFilesOptions) {
    this.#options = options;
    this.#reloads = new Debouncer({
      clock: options.clock,
      quietMs: settleMs,
      maxWaitMs: maxSettleMs,
      run: () => this.#load(),
      onError: options.onError,
    });
  }

  /** Rejects when there is nothing usable to begin with; nothing is watched then. */
  async start(): Promise<void> {
    this.#seen = [];
    this.#watch = this.#options.openWatch(() => this.#reloads.trigger());
    try {
      await this.#load();
    } catch (thrown) {
      await this.stop();
      throw thrown;
    }
  }

  /** Resolves when every change that was noticed has been read. */
  idle(): Promise<void> {
    return this.#reloads.idle();
  }

  async stop(): Promise<void> {
    this.#reloads.cancel();
    await this.idle();
    this.#watch?.close();
    this.#watch = undefined;
  }

  async #load(): Promise<void> {
    const { files, use } = this.#options;
    await this.#follow(files);
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    if (texts.length === this.#seen.length && texts.every((text, index) => text === this.#seen[index])) return;
    this.#seen = texts;
    use(texts);
  }

  async #follow(files: readonly string[]): Promise<void> {
    try {
      for (const file of files) await this.#watch?.follow(file);
    } finally {
      this.#watch?.sweep();
    }
  }
}
