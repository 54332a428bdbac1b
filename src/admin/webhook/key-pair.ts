import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { Clock } from "../../lib/clock.ts";
import { Debouncer } from "../../lib/debouncer.ts";

/** Certificate and key are two files, and a secret is often several more: this pause makes them one change. */
const settleMs = 100;
const maxSettleMs = 1000;

/** What tells when files change. Paths are followed anew at each look, then what was not is let go. */
export interface Watch {
  follow(path: string): Promise<void>;
  sweep(): void;
  close(): void;
}

export interface KeyPairFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface KeyPairOptions {
  readonly files: KeyPairFiles;
  readonly clock: Clock;
  readonly openWatch: (changed: () => void) => Watch;
  /** Takes the first pair and every good one that replaces it. */
  readonly use: (context: SecureContextOptions) => void;
  /** A change was no good: the last pair stays in use. */
  readonly onError: (error: unknown) => void;
}

/** A certificate with its key, read again whenever the files change. */
export class KeyPair {
  readonly #options: KeyPairOptions;
  readonly #watch: Watch;
  readonly #reloads: Debouncer;
  /** What was read last, good or bad: only what differs is news. */
  #seen: SecureContextOptions | undefined;

  constructor(options: KeyPairOptions) {
    this.#options = options;
    this.#reloads = new Debouncer({
      clock: options.clock,
      quietMs: settleMs,
      maxWaitMs: maxSettleMs,
      run: () => this.#load(),
      onError: options.onError,
    });
    this.#watch = options.openWatch(() => this.#reloads.trigger());
  }

  /** Rejects when there is no pair to begin with; nothing is watched then. */
  async start(): Promise<void> {
    this.#seen = undefined;
    try {
      await this.#load();
    } catch (thrown) {
      await this.stop();
      throw thrown;
    }
  }

  async stop(): Promise<void> {
    this.#reloads.cancel();
    await this.#reloads.idle();
    this.#watch.close();
  }

  async #load(): Promise<void> {
    const pair = await this.#read();
    if (pair.cert === this.#seen?.cert && pair.key === this.#seen?.key) return;
    this.#seen = pair;
    // Throws for what is not a certificate, is not a key, or does not belong together.
    createSecureContext(pair);
    this.#options.use(pair);
  }

  async #read(): Promise<SecureContextOptions & { readonly cert: string; readonly key: string }> {
    const { certificate, key } = this.#options.files;
    try {
      await this.#watch.follow(certificate);
      await this.#watch.follow(key);
    } finally {
      this.#watch.sweep();
    }
    const [cert, secret] = await Promise.all([readFile(certificate, "utf8"), readFile(key, "utf8")]);
    return { cert, key: secret, minVersion: "TLSv1.2" };
  }
}
