import type { StepOutput } from "./open-step.ts";
import { ReplayedReads } from "./read-log.ts";
import type { RecordedStep } from "./step.ts";

/** A recorded step while it is replayed. */
export class ReplayedStep {
  readonly recorded: RecordedStep;
  readonly clock: ReplayedReads<number>;
  readonly queued: ReplayedReads<number>;
  readonly load: ReplayedReads<string>;
  readonly outputs: StepOutput[] = [];
  #turns = 0;
  #created = 0;

  constructor(recorded: RecordedStep) {
    this.recorded = recorded;
    this.clock = new ReplayedReads(recorded.at, recorded.clock ?? []);
    this.queued = new ReplayedReads(0, recorded.queued ?? []);
    this.load = new ReplayedReads("usual", recorded.load ?? []);
  }

  nextId(): string {
    return `${this.recorded.number}.${this.#created++}`;
  }

  /** Whether the next call of `turn` yielded. */
  yields(): boolean {
    return this.recorded.yields?.includes(this.#turns++) === true;
  }
}
