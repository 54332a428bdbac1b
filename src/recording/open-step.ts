import type { Refusal } from "../xds/admission.ts";
import type { Mode } from "../xds/mode.ts";
import { ReadLog } from "./read-log.ts";
import type { RecordedEnd, StepCause } from "./step.ts";

/** A response as it leaves. The buffers never change, so they are read when somebody has time. */
export interface SentMessage {
  readonly type: "message";
  readonly stream: number;
  readonly mode: Mode;
  readonly prefix: Uint8Array;
  readonly segments: readonly Uint8Array[];
}

export type StepOutput = SentMessage | RecordedEnd;

/** A step while it runs, and until it is written. */
export class OpenStep {
  readonly number: number;
  readonly at: number;
  /** Describes the cause. Called when the step is written. */
  readonly cause: () => StepCause;
  readonly clock: ReadLog<number>;
  readonly queued = new ReadLog(0);
  readonly load = new ReadLog("usual");
  readonly yields: number[] = [];
  readonly outputs: StepOutput[] = [];
  refusal: Refusal | undefined;
  foreign = false;
  turns = 0;
  #created = 0;

  constructor(number: number, at: number, cause: () => StepCause) {
    this.number = number;
    this.at = at;
    this.cause = cause;
    this.clock = new ReadLog(at);
  }

  /** The id of a timer or a pause that this step creates. */
  nextId(): string {
    return `${this.number}.${this.#created++}`;
  }
}
