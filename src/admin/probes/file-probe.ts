import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { awaitedBy, type Emitter } from "./emitter.ts";

export interface FileProbeOptions {
  readonly file: string;
  /** How old the file may become; it is written twice as often. */
  readonly intervalMs: number;
  readonly emitters: readonly Emitter[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Is told when the file can no longer be written. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * A file that is fresh while every emitter is available, and absent otherwise: for whoever looks after the process and
 * cannot ask it over the network. `checkProbeFile` is its other end.
 */
export class FileProbe {
  readonly #options: FileProbeOptions;
  #next: Cancel | undefined;
  #failing = false;

  constructor(options: FileProbeOptions) {
    this.#options = options;
  }

  /** Throws `bad-option` where no file can be written. */
  start(): void {
    const { file } = this.#options;
    try {
      accessSync(dirname(file), constants.W_OK);
    } catch (cause) {
      const reason = existsSync(dirname(file)) ? "no permission to write into its folder" : "there is no such folder";
      throw new MeshError("bad-option", `${file} cannot be written: ${reason}`, { cause });
    }
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
      throw new MeshError("bad-option", `${file} cannot be written: it is a directory`);
    }
    this.#refresh();
  }

  stop(): void {
    const { file, logger } = this.#options;
    this.#next?.();
    this.#next = undefined;
    try {
      rmSync(file, { force: true });
    } catch (thrown) {
      logger.error({ file, err: thrown }, "probe file not removed");
    }
  }

  #refresh(): void {
    const { intervalMs, clock } = this.#options;
    this.#next = clock.after(intervalMs / 2, () => this.#refresh());
    this.#write();
  }

  /** Synchronous, so that a file never appears after the stop that removed it. */
  #write(): void {
    const { file, emitters, logger, onFailure } = this.#options;
    try {
      if (awaitedBy(emitters).length === 0) writeFileSync(file, "ok\n");
      else rmSync(file, { force: true });
      this.#failing = false;
    } catch (thrown) {
      if (!this.#failing) logger.error({ file, err: thrown }, "probe file not written");
      if (!this.#failing) onFailure?.(thrown);
      this.#failing = true;
    }
  }
}
