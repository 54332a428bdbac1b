import type { SourceHandler } from "../galley/source/source.ts";
import type { CloseReason, GrpcStream } from "../lib/grpc/grpc-stream.ts";
import type { WorkGate } from "../lib/overload/overload.ts";
import type { Pace } from "../lib/overload/work.ts";
import type { Cancel, Clock } from "../lib/time/clock.ts";
import type { OutsideCall } from "../pilot/xds/entrance.ts";
import type { AskGate, GateAnswer } from "../pilot/xds/rollout/staged-rollout.ts";
import type { Refusal } from "../xds/admission.ts";
import type { StreamKind } from "../xds/xds-server.ts";
import type { StepOutput } from "./open-step.ts";
import { sourceEvent } from "./recorded-event.ts";
import { ReplayedStep } from "./replayed-step.ts";
import { ReplayedStream } from "./replayed-stream.ts";
import type { RecordedStep } from "./step.ts";

/** The server that a recording is replayed into. */
export interface ReplayTarget {
  /** The pipeline's handlers of events, by the name of the source. */
  readonly sources: ReadonlyMap<string, SourceHandler>;
  serve(stream: GrpcStream, kind: StreamKind): void;
  call(call: OutsideCall): void;
}

/**
 * Stands in for everything outside of a server, and gives it the events and values of a recording. Timers and pauses
 * run when they ran then, however long that takes now.
 */
export class Replay {
  readonly clock: Clock = {
    now: () => this.#step?.clock.next() ?? this.#startedAt,
    after: (_ms, run) => this.#after(run),
  };
  readonly load: WorkGate;
  readonly #startedAt: number;
  readonly #waiting = new Map<string, () => void>();
  readonly #gates = new Map<string, (answer: GateAnswer) => void>();
  readonly #streams = new Map<number, ReplayedStream>();
  #step: ReplayedStep | undefined;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
    const read = () => this.#step?.load.next() ?? "usual";
    this.load = {
      paceOf: () => read() as Pace,
      get reason() {
        return read() || undefined;
      },
      shed: () => undefined,
    };
  }

  readonly turn = async (): Promise<void> => {
    const step = this.#step;
    if (step?.yields() !== true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(step.nextId(), resolve);
    await promise;
  };

  readonly askGate: AskGate = () => {
    const { promise, resolve } = Promise.withResolvers<GateAnswer>();
    this.#gates.set(this.#step?.nextId() ?? "", resolve);
    return promise;
  };

  /** Why the proxy of this step was refused. */
  get refusal(): Refusal | undefined {
    return this.#step?.recorded.refusal;
  }

  /** Whether the stream of this step was served by another server. */
  get isForeign(): boolean {
    return this.#step?.recorded.foreign === true;
  }

  /** Repeats a step. `settled` resolves when all promises that it settled have run. */
  async perform(
    step: RecordedStep,
    target: ReplayTarget,
    settled: () => Promise<void>,
  ): Promise<readonly StepOutput[]> {
    const current = new ReplayedStep(step);
    this.#step = current;
    this.#begin(step, target);
    await settled();
    this.#step = undefined;
    return current.outputs;
  }

  #begin({ cause }: RecordedStep, target: ReplayTarget): void {
    switch (cause.type) {
      case "source":
        return target.sources.get(cause.source)?.(cause.events.flatMap((event) => sourceEvent(event) ?? []));
      case "open":
        return target.serve(this.#open(cause.stream, cause), cause.kind);
      case "request":
        return this.#streams.get(cause.stream)?.receive(Buffer.from(cause.bytes, "base64"));
      case "flushed":
        return this.#streams.get(cause.stream)?.flushed();
      case "closed":
        return this.#close(cause.stream, cause.reason);
      case "end":
        return this.#streams.get(cause.stream)?.end(cause.status, cause.message);
      case "timer":
      case "turn":
        return this.#resume(cause.id);
      case "gate":
        if (cause.answer !== undefined) this.#gates.get(cause.id)?.(cause.answer);
        return;
      case "ready":
      case "push all":
      case "key set":
      case "roots":
        return target.call(cause);
    }
  }

  #open(number: number, { kind, peer }: Extract<RecordedStep["cause"], { readonly type: "open" }>): ReplayedStream {
    const stream = new ReplayedStream({
      number,
      mode: kind.mode,
      peer,
      queued: () => this.#step?.queued.next() ?? 0,
      output: (output) => void this.#step?.outputs.push(output),
    });
    this.#streams.set(number, stream);
    return stream;
  }

  #close(number: number, reason: CloseReason["type"]): void {
    const stream = this.#streams.get(number);
    this.#streams.delete(number);
    stream?.close(reason === "broken" ? { type: reason, cause: new Error("the stream was broken") } : { type: reason });
  }

  #resume(id: string): void {
    const run = this.#waiting.get(id);
    this.#waiting.delete(id);
    run?.();
  }

  #after(run: () => void): Cancel {
    const id = this.#step?.nextId();
    if (id === undefined) return () => undefined;
    this.#waiting.set(id, run);
    return () => this.#waiting.delete(id);
  }
}
