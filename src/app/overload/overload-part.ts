import type { Logger } from "../../lib/logger.ts";
import { Overload } from "../../lib/overload/overload.ts";
import type { SupervisedClock, Supervisor } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { SupervisedPart } from "../parts/supervised-parts.ts";
import type { PressureMeter } from "./process-pressure.ts";

const part = "process health";
const everyMs = 500;

export interface OverloadPartOptions {
  readonly supervisor: Supervisor<SupervisedPart>;
  readonly logger: Logger;
  /** Without it nothing is measured, and the level stays normal. */
  readonly meter: PressureMeter | undefined;
}

/** Measures the process periodically, and logs each change of its level. */
export class OverloadPart {
  readonly overload: Overload;
  readonly #meter: PressureMeter | undefined;
  readonly #supervisor: Supervisor<SupervisedPart>;
  readonly #clock: SupervisedClock;
  #queueMs: () => number = () => 0;
  #cancel: Cancel = () => undefined;

  constructor({ supervisor, logger, meter }: OverloadPartOptions) {
    this.#meter = meter;
    this.#supervisor = supervisor;
    this.#clock = supervisor.clockFor(part);
    this.overload = new Overload(({ reason, advice, level, before }) => {
      if (reason === undefined) logger.info({ level, before }, "load is normal again");
      else logger.warn({ level, before, reason, advice }, "load has changed");
    });
  }

  /** Whether the process is measured. Otherwise there is nothing to start. */
  get measures(): boolean {
    return this.#meter !== undefined;
  }

  /** The limit of the heap; infinity if it is not measured. */
  get heapLimitBytes(): number {
    return this.#meter?.heapLimitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** The push queue exists later than this part. */
  watchQueue(queueMs: () => number): void {
    this.#queueMs = queueMs;
  }

  start(): void {
    if (this.#meter === undefined) return;
    this.#meter.start(this.#supervisor.guard(part, () => this.#measure()));
    this.#again();
  }

  stop(): void {
    this.#cancel();
    this.#meter?.stop();
  }

  #again(): void {
    this.#cancel = this.#clock.after(everyMs, () => {
      this.#again();
      this.#supervisor.run(part, () => this.#measure());
    });
  }

  #measure(): void {
    if (this.#meter === undefined) return;
    this.overload.measured({ ...this.#meter.measure(), queueMs: this.#queueMs() });
  }
}
