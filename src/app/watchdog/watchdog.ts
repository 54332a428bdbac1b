import { url as debuggerUrl } from "node:inspector";
import { Worker } from "node:worker_threads";
import type { Logger } from "../../lib/logger.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { LogFormat } from "../log/logger.ts";
import { cells, type StallEnd, type ThreadSettings, threadProgram } from "./watchdog-thread.ts";

export interface WatchdogOptions {
  /** Time without a turn of the event loop that counts as a stall. */
  readonly stallMs: number;
  /** The format of the log on stderr. */
  readonly format: LogFormat;
  readonly clock: SupervisedClock;
  readonly logger: Logger;
}

/** Heartbeats in the time of a stall. */
const beatsPerStall = 10;
/** The thread holds a timer and, during a stall, the list of scripts. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 };

/**
 * Notices a main thread that is stuck: an endless loop, a hostile input. A second thread watches its heartbeats and
 * logs the stack of the main thread. It repairs nothing. The probes fail by themselves: a stuck thread answers no
 * request and refreshes no file. Neither the thread nor the heartbeats keep the process alive.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  readonly #cells = new Int32Array(this.#shared);
  #worker: Worker | undefined;
  #cancelBeat: Cancel = () => undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Stalls so far. */
  get stalls(): number {
    return Atomics.load(this.#cells, cells.stalls);
  }

  start(): void {
    const { stallMs, format, logger } = this.#options;
    // A breakpoint would look like a stall.
    if (stallMs === 0 || debuggerUrl() !== undefined) return;
    const tickMs = stallMs / beatsPerStall;
    const workerData: ThreadSettings = { shared: this.#shared, stallMs, tickMs, format };
    const worker = new Worker(threadProgram, { eval: true, execArgv: [], workerData, resourceLimits });
    worker.on("error", (err) => logger.warn({ err }, "watchdog ended"));
    worker.on("message", ({ stuckMs }: StallEnd) => logger.warn({ stuckMs }, "main thread continues"));
    // After the listeners: each listener holds the process.
    worker.unref();
    this.#worker = worker;
    this.#beat(tickMs);
  }

  async stop(): Promise<void> {
    this.#cancelBeat();
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  #beat(tickMs: number): void {
    Atomics.add(this.#cells, cells.beats, 1);
    this.#cancelBeat = this.#options.clock.after(tickMs, () => this.#beat(tickMs));
  }
}
