import type { Clock } from "../../lib/time/clock.ts";
import { DroppedLines, type LogDestination, type LogDestinationOptions } from "./log-destination.ts";

/** After an error, such as a full disk. */
const retryMs = 1_000;

/** An open file. Both say how many bytes were written, which may be fewer than given. */
export interface LogFile {
  write(bytes: Uint8Array, done: (error: Error | null, written: number) => void): void;
  writeSync(bytes: Uint8Array): number;
}

export interface FileDestinationOptions extends LogDestinationOptions {
  readonly clock: Clock;
}

/**
 * Logs to a file. One write is on its way at a time, in another thread: a disk that hangs stops nobody. After an error
 * lines wait, and the write is tried again.
 *
 * sonic-boom, which pino brings, is no choice here: its `flushSync` tries a full disk again for ever, in the way of the
 * end of a process.
 */
export class FileDestination implements LogDestination {
  readonly #file: LogFile;
  readonly #clock: Clock;
  readonly #maxQueuedBytes: number;
  readonly #dropped: DroppedLines;
  #waiting: string[] = [];
  /** Of what waits and of what is on its way. */
  #queuedBytes = 0;
  /** What is left of the last batch. */
  #batch = Buffer.alloc(0);
  #state: "idle" | "writing" | "failed" = "idle";

  constructor(file: LogFile, { clock, maxQueuedBytes, onRecovered }: FileDestinationOptions) {
    this.#file = file;
    this.#clock = clock;
    this.#maxQueuedBytes = maxQueuedBytes;
    this.#dropped = new DroppedLines(onRecovered);
  }

  get dropped(): number {
    return this.#dropped.total;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#queuedBytes + bytes > this.#maxQueuedBytes) return this.#dropped.add();
    this.#waiting.push(line);
    this.#queuedBytes += bytes;
    if (this.#state === "idle") this.#advance();
  }

  flushSync(): void {
    // A batch that is on its way is written before the process can end.
    if (this.#state === "writing") return void this.#writeNow(this.#takeWaiting());
    this.#nextBatch();
    this.#batch = this.#writeNow(this.#batch);
  }

  /** Answers with what could not be written. */
  #writeNow(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(this.#file.writeSync(rest));
    } catch {
      // It is too late to try again, and there is nobody left to tell.
    }
    this.#queuedBytes -= bytes.length - rest.length;
    return rest;
  }

  #advance(): void {
    this.#nextBatch();
    if (this.#batch.length === 0) {
      this.#state = "idle";
      return;
    }
    this.#state = "writing";
    this.#file.write(this.#batch, (error, written) => (error === null ? this.#wrote(written) : this.#failed()));
  }

  #wrote(bytes: number): void {
    this.#batch = this.#batch.subarray(bytes);
    this.#queuedBytes -= bytes;
    this.#state = "idle";
    this.#dropped.say();
    if (this.#state === "idle") this.#advance();
  }

  #failed(): void {
    this.#state = "failed";
    this.#clock.after(retryMs, () => this.#advance());
  }

  #nextBatch(): void {
    if (this.#batch.length === 0) this.#batch = this.#takeWaiting();
    else if (this.#waiting.length > 0) this.#batch = Buffer.concat([this.#batch, this.#takeWaiting()]);
  }

  #takeWaiting(): Buffer<ArrayBuffer> {
    const text = this.#waiting.join("");
    this.#waiting = [];
    return Buffer.from(text);
  }
}
