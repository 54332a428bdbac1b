import type { Clock } from "../../lib/time/clock.ts";
import { DroppedLines, type LogDestination, type LogDestinationOptions } from "./log-destination.ts";

/** After an error, such as a full disk. */
const retryMs = 1_000;

/** An open file. Both methods return the number of written bytes, which may be fewer than given. */
export interface LogFile {
  write(bytes: Uint8Array, done: (error: Error | null, written: number) => void): void;
  writeSync(bytes: Uint8Array): number;
}

export interface FileDestinationOptions extends LogDestinationOptions {
  readonly clock: Clock;
}

/**
 * Logs to a file. One write runs at a time, in another thread, so a disk that hangs does not block the process. After
 * an error, lines wait for the next attempt.
 *
 * sonic-boom, the default of pino, does not fit: its `flushSync` retries a full disk for ever. Then a process could not
 * end.
 */
export class FileDestination implements LogDestination {
  readonly #file: LogFile;
  readonly #clock: Clock;
  readonly #maxQueuedBytes: number;
  readonly #dropped: DroppedLines;
  #waiting: string[] = [];
  /** Bytes that wait or are being written. */
  #queuedBytes = 0;
  /** The unwritten rest of the last batch. */
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
    // A running write completes before the process can end.
    if (this.#state === "writing") return void this.#writeNow(this.#takeWaiting());
    this.#nextBatch();
    this.#batch = this.#writeNow(this.#batch);
  }

  /** Returns the bytes that could not be written. */
  #writeNow(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(this.#file.writeSync(rest));
    } catch {
      // It is too late to retry, and nothing is left to report the error to.
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
