/** Where lines of the log go. Nothing of it ever waits or fails: a line that finds no room is dropped and counted. */
export interface LogDestination {
  /** Lines dropped so far. */
  readonly dropped: number;
  write(line: string): void;
  /** Writes all that waits, as far as it can be written at once: for the last moment of a process. */
  flushSync(): void;
}

export interface LogDestinationOptions {
  /** Bytes that may wait for a reader, or for room on a disk. */
  readonly maxQueuedBytes: number;
  /** There is room again, after so many lines were dropped. May write to the destination. */
  readonly onRecovered: (dropped: number) => void;
}

/** Counts dropped lines, and reports their number when there is space again. */
export class DroppedLines {
  readonly #onRecovered: (dropped: number) => void;
  #total = 0;
  #unsaid = 0;

  constructor(onRecovered: (dropped: number) => void) {
    this.#onRecovered = onRecovered;
  }

  get total(): number {
    return this.#total;
  }

  add(): void {
    this.#total += 1;
    this.#unsaid += 1;
  }

  /** There is room. */
  say(): void {
    const unsaid = this.#unsaid;
    this.#unsaid = 0;
    if (unsaid > 0) this.#onRecovered(unsaid);
  }
}
