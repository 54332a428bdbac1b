import { type FileHandle, lstat, open, rename } from "node:fs/promises";
import { codeOf, errorFrom, MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { OpenStep } from "../../recording/open-step.ts";
import type { RecordingText } from "../../recording/recording-text.ts";
import type { RecordingHead } from "../../recording/step.ts";

export interface RecordingFileOptions {
  readonly path: string;
  readonly maxBytes: number;
  readonly text: RecordingText;
  /** Lets other work run between two steps. */
  readonly turn: () => Promise<void>;
  readonly logger: Logger;
  /** The recording has ended before the server. */
  readonly onEnd: () => void;
}

const ownerOnly = 0o600;
/** Moves an earlier recording away. Refuses to move anything else, such as a device. */
async function keepPrevious(path: string): Promise<void> {
  try {
    if (!(await lstat(path)).isFile()) throw new Error("not a regular file");
    await rename(path, `${path}.previous`);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw errorFrom(thrown);
  }
}

/** So much text is written at once. */
const writeBytes = 1024 * 1024;
/** More steps waiting for a slow disk would take too much memory. */
const maxWaiting = 100_000;

/**
 * A recording on disk, which only its owner may read. It is written beside the pipeline, soon after each step. Whatever
 * fails here ends the recording, and never the server.
 */
export class RecordingFile {
  readonly #options: RecordingFileOptions;
  readonly #waiting: (OpenStep | string)[] = [];
  #handle: FileHandle | undefined;
  #bytes = 0;
  #writing: Promise<void> | undefined;
  #hasEnded = false;

  constructor(options: RecordingFileOptions) {
    this.#options = options;
  }

  /** Throws `bad-option` if nothing can be written. An earlier recording is kept beside the new one. */
  async open(head: RecordingHead): Promise<void> {
    const { path, text } = this.#options;
    try {
      await keepPrevious(path);
      this.#handle = await open(path, "wx", ownerOnly);
      await this.#append(text.head(head));
    } catch (thrown) {
      throw new MeshError("bad-option", `${path}: ${errorFrom(thrown).message}`, { cause: thrown });
    }
  }

  /** Adds a step, or a record that is text already. */
  add(record: OpenStep | string): void {
    if (this.#hasEnded) return;
    if (this.#waiting.length >= maxWaiting) return this.#giveUp("the disk is too slow");
    this.#waiting.push(record);
    this.#writing ??= this.#write().catch((thrown: unknown) => this.#giveUp(errorFrom(thrown).message));
  }

  /** Writes what is waiting and ends the recording. */
  async close(): Promise<void> {
    if (!this.#hasEnded) this.add(this.#options.text.end("the server stopped"));
    await this.#writing;
    this.#hasEnded = true;
    await this.#handle?.close().catch(() => undefined);
    this.#handle = undefined;
  }

  async #write(): Promise<void> {
    const { maxBytes, text, turn } = this.#options;
    while (this.#waiting.length > 0 && !this.#hasEnded) {
      let next = "";
      for (let record = this.#waiting.shift(); record !== undefined; record = this.#waiting.shift()) {
        next += typeof record === "string" ? record : text.step(record);
        if (next.length > writeBytes) break;
        await turn();
      }
      if (this.#bytes + Buffer.byteLength(next) > maxBytes) {
        await this.#append(text.end("it reached --record-max-bytes"));
        return this.#giveUp(`it reached ${maxBytes} bytes (--record-max-bytes)`);
      }
      await this.#append(next);
    }
    this.#writing = undefined;
  }

  async #append(text: string): Promise<void> {
    await this.#handle?.appendFile(text);
    this.#bytes += Buffer.byteLength(text);
  }

  #giveUp(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#waiting.length = 0;
    this.#options.logger.warn({ file: this.#options.path, bytes: this.#bytes, reason }, "recording ended");
    this.#options.onEnd();
  }
}
