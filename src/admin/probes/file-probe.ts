import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ReportFailure, SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import { awaitedBy, type Emitter } from "./emitter.ts";

export interface FileProbeOptions {
  readonly file: string;
  /** The maximum age of the file. It is written twice as often. */
  readonly intervalMs: number;
  readonly emitters: readonly Emitter[];
  readonly clock: SupervisedClock;
  readonly logger: Logger;
  /** Reports when the file can no longer be written, once per failure period. */
  readonly onFailure: ReportFailure;
}

/**
 * A file that is fresh while every emitter is available, and absent otherwise. It serves supervisors that cannot reach
 * the process over the network. `checkProbeFile` reads it.
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
    const { file, emitters, onFailure } = this.#options;
    try {
      if (awaitedBy(emitters).length === 0) writeFileSync(file, "ok\n");
      else rmSync(file, { force: true });
      this.#failing = false;
    } catch (thrown) {
      if (!this.#failing) onFailure(thrown, { file });
      this.#failing = true;
    }
  }
}
