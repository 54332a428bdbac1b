import { execFileSync } from "node:child_process";
import { closeSync, constants, createReadStream, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A pipe whose reader is there and reads nothing until it is told to. */
export class UnreadPipe implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "binnacle-pipe-"));
  readonly #path = join(this.#directory, "pipe");
  readonly #reader: number;
  /** For a process to write to. */
  readonly writer: number;

  constructor() {
    execFileSync("mkfifo", [this.#path]);
    this.#reader = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.writer = openSync(this.#path, constants.O_WRONLY);
  }

  /** The lines from now on, until the last writer has gone. */
  lines(): AsyncIterable<string> {
    return createInterface({ input: createReadStream(this.#path) });
  }

  [Symbol.dispose](): void {
    closeSync(this.#reader);
    closeSync(this.writer);
    rmSync(this.#directory, { recursive: true });
  }
}
