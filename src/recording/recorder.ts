import type { GrpcStream } from "../lib/grpc/grpc-stream.ts";
import type { WorkGate } from "../lib/overload/overload.ts";
import type { Cancel, Clock } from "../lib/time/clock.ts";
import { createTurn } from "../lib/time/turn.ts";
import type { Entrance, OutsideCall } from "../pilot/xds/entrance.ts";
import type { StreamKind } from "../xds/xds-server.ts";
import { OpenStep, type StepOutput } from "./open-step.ts";
import { RecordedStream } from "./recorded-stream.ts";
import type { StepCause } from "./step.ts";

export interface RecorderOptions {
  /** The server's clock. */
  readonly clock: Clock;
  /** Runs something after the current task, alone. */
  readonly later: (run: () => void) => void;
  /** Runs something when all promises of the current task are settled. */
  readonly settled: (run: () => void) => void;
  /** Gets each step when it is complete. */
  readonly onStep: (step: OpenStep) => void;
  /** Something reached the server without a step. A replay cannot repeat it. */
  readonly onUnrecorded: (what: string) => void;
}

/**
 * Divides the work of a server into steps. A step begins with one event from outside, and ends when all promises that
 * it settled have run. An event that arrives within a step waits for its end. So the order of the steps, and the
 * values that they read from outside, decide everything that the server sends.
 */
export class Recorder implements Entrance {
  /** For everything that is recorded. It shows whole milliseconds, so that most reads of a step are equal. */
  readonly clock: Clock;
  readonly #options: RecorderOptions;
  readonly #waiting: { readonly cause: () => StepCause; readonly work: () => void }[] = [];
  readonly #pause: () => Promise<void>;
  #step: OpenStep | undefined;
  #steps = 0;
  #streams = 0;
  #isRecording = true;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.clock = { now: () => this.#now(), after: (ms, run) => this.#after(ms, run) };
    this.#pause = createTurn(options.clock, () => this.#yield());
  }

  /** The step that runs now. */
  get step(): OpenStep | undefined {
    return this.#step;
  }

  /** Everything continues without being recorded. */
  stop(): void {
    this.#isRecording = false;
  }

  /** Runs one step, now or after those that wait. */
  run(cause: () => StepCause, work: () => void): void {
    if (this.#step === undefined && this.#waiting.length === 0) return this.#begin(cause, work);
    this.#waiting.push({ cause, work });
  }

  call(call: OutsideCall, work: () => void): void {
    this.run(() => call, work);
  }

  stream(stream: GrpcStream, kind: StreamKind, serve: (stream: GrpcStream) => void): void {
    const number = ++this.#streams;
    this.run(
      () => ({ type: "open", stream: number, kind, peer: { ...stream.peer } }),
      () => serve(new RecordedStream(stream, { number, mode: kind.mode, recorder: this })),
    );
  }

  /** Lets other work run when it is time to. A pause ends with a step. */
  readonly turn = (): Promise<void> => {
    if (this.#step !== undefined) this.#step.turns += 1;
    return this.#pause();
  };

  /** Notes the load that the server reads. */
  observed(gate: WorkGate): WorkGate {
    const note = (text: string) => this.#step?.load.note(text);
    return {
      paceOf(work) {
        const pace = gate.paceOf(work);
        note(pace);
        return pace;
      },
      get reason() {
        note(gate.reason ?? "");
        return gate.reason;
      },
      shed: (work) => gate.shed(work),
    };
  }

  /** Waits for an answer from outside. It arrives as a step. */
  async answered<T>(answer: Promise<T>, cause: (id: string, answer: T) => StepCause): Promise<T> {
    const id = this.#step?.nextId() ?? "";
    const { promise, resolve } = Promise.withResolvers<T>();
    const given = await answer;
    this.run(
      () => cause(id, given),
      () => resolve(given),
    );
    return await promise;
  }

  output(output: StepOutput): void {
    if (this.#step !== undefined) this.#step.outputs.push(output);
    else this.#options.onUnrecorded("a response was sent outside of the recorded steps");
  }

  #begin(cause: () => StepCause, work: () => void): void {
    const step = new OpenStep(++this.#steps, Math.floor(this.#options.clock.now()), cause);
    this.#step = step;
    // Before the work: it may throw.
    this.#options.settled(() => this.#end(step));
    work();
  }

  #end(step: OpenStep): void {
    this.#step = undefined;
    if (this.#isRecording) this.#options.onStep(step);
    if (this.#waiting.length > 0) this.#options.later(() => this.#next());
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next.cause, next.work);
  }

  #now(): number {
    const now = Math.floor(this.#options.clock.now());
    return this.#step?.clock.note(now) ?? now;
  }

  #after(ms: number, run: () => void): Cancel {
    const { clock } = this.#options;
    // Nothing that is recorded creates it.
    if (this.#step === undefined) return clock.after(ms, run);
    const id = this.#step.nextId();
    let isCancelled = false;
    const stop = clock.after(ms, () =>
      this.run(
        () => ({ type: "timer", id }),
        () => isCancelled || run(),
      ),
    );
    return () => {
      isCancelled = true;
      stop();
    };
  }

  #yield(): Promise<void> {
    const step = this.#step;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (step === undefined) {
      this.#options.later(resolve);
      return promise;
    }
    step.yields.push(step.turns - 1);
    const id = step.nextId();
    this.#options.later(() => this.run(() => ({ type: "turn", id }), resolve));
    return promise;
  }
}
