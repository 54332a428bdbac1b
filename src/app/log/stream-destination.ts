import type { Writable } from "node:stream";
import { DroppedLines, type LogDestination, type LogDestinationOptions } from "./log-destination.ts";

/**
 * Logs to a pipe, a socket or a terminal, through Node's stream for it. That writes at once while its reader keeps up,
 * so an end of the process loses nothing, and queues in memory while the reader is stalled.
 */
export class StreamDestination implements LogDestination {
  readonly #stream: Writable;
  readonly #maxQueuedBytes: number;
  readonly #dropped: DroppedLines;

  constructor(stream: Writable, { maxQueuedBytes, onRecovered }: LogDestinationOptions) {
    this.#stream = stream;
    this.#maxQueuedBytes = maxQueuedBytes;
    this.#dropped = new DroppedLines(onRecovered);
    // A reader that has gone (EPIPE) is no reason to end; unheard, the event would end the process.
    stream.on("error", () => undefined);
    stream.on("drain", () => this.#dropped.say());
  }

  get dropped(): number {
    return this.#dropped.total;
  }

  write(line: string): void {
    const hasRoom = this.#stream.writableLength + Buffer.byteLength(line) <= this.#maxQueuedBytes;
    if (this.#stream.writable && hasRoom) this.#stream.write(line);
    else this.#dropped.add();
  }

  /** All that can be written has been: the rest waits for a reader that may never come. */
  flushSync(): void {}
}
