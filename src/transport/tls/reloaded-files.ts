import { readFile } from "node:fs/promises";
import type { Clock } from "../../lib/time/clock.ts";
import { Debouncer } from "../../lib/time/debouncer.ts";

/** Debounce time. Certificate and key are two files, and a secret often has more; the pause makes them one change. */
const settleMs = 100;
const maxSettleMs = 1000;

/** Watches paths for changes. Each check follows its paths again, then drops the paths that were not followed. */
export interface PathWatch {
  follow(path: string): Promise<void>;
  sweep(): void;
  close(): void;
}

/** How files are watched, and where errors go. */
export interface ReloadSettings {
  readonly clock: Clock;
  readonly openWatch: (changed: () => void) => PathWatch;
  /** A changed file is invalid. The last good content stays in use. */
  readonly onError: (error: unknown) => void;
}

export interface ReloadedFilesOptions extends ReloadSettings {
  readonly files: readonly string[];
  /** Gets the texts of all files, in order: at the start, and after every change. Throws to refuse them. */
  readonly use: (texts: readonly string[]) => void;
}

/** Files that belong together, reloaded whenever one of them changes. */
export class ReloadedFiles {
  readonly #options: ReloadedFilesOptions;
  readonly #reloads: Debouncer;
  #watch: PathWatch | undefined;
  /** The last texts, good or bad. Only a difference triggers a reload. */
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

  /** Rejects when the files are unusable at the start. Then nothing is watched. */
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

  /** Resolves when every noticed change has been read. */
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
