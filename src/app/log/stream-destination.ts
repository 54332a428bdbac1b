import type { Writable } from "node:stream";
import { DroppedLines, type LogDestination, type LogDestinationOptions } from "./log-destination.ts";

/**
 * Logs to a pipe, a socket or a terminal, through Node's stream for it. While the reader keeps up, the stream writes at
 * once, so the end of the process loses nothing. While the reader is stalled, the stream queues in memory.
 */
export class StreamDestination implements LogDestination {
  readonly #stream: Writable;
  readonly #maxQueuedBytes: number;
  readonly #dropped: DroppedLines;

  constructor(stream: Writable, { maxQueuedBytes, onRecovered }: LogDestinationOptions) {
    this.#stream = stream;
    this.#maxQueuedBytes = maxQueuedBytes;
    this.#dropped = new DroppedLines(onRecovered);
    // A closed reader (EPIPE) is no reason to end. Without a listener, the event would end the process.
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

  /** Does nothing: the stream has written all it can. The rest waits for a reader that may never come. */
  flushSync(): void {}
}
