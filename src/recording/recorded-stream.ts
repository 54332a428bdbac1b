import {
  type CloseReason,
  type EndHints,
  GrpcStatus,
  type GrpcStream,
  type GrpcStreamHandler,
  type Peer,
} from "../lib/grpc/grpc-stream.ts";
import type { Mode } from "../xds/mode.ts";
import type { OpenStep, StepOutput } from "./open-step.ts";
import { recordedRequest } from "./recorded-request.ts";
import type { StepCause } from "./step.ts";

/** Runs the steps that the stream begins. */
interface StepRunner {
  /** The step that runs now. */
  readonly step: OpenStep | undefined;
  run(cause: () => StepCause, work: () => void): void;
  output(output: StepOutput): void;
}

export interface RecordedStreamOptions {
  readonly number: number;
  readonly mode: Mode;
  readonly recorder: StepRunner;
}

/** A stream whose events are steps of the recording, and whose messages are their outputs. */
export class RecordedStream implements GrpcStream {
  readonly #stream: GrpcStream;
  readonly #options: RecordedStreamOptions;
  #handler: GrpcStreamHandler | undefined;
  #isClosed = false;
  /** Whether it is not for proxies, and not recorded. */
  #isForeign = false;

  constructor(stream: GrpcStream, options: RecordedStreamOptions) {
    this.#stream = stream;
    this.#options = options;
  }

  get peer(): Peer {
    return this.#stream.peer;
  }

  /** Becomes true within a step only. */
  get closed(): boolean {
    return this.#isForeign ? this.#stream.closed : this.#isClosed;
  }

  get queued(): number {
    const { queued } = this.#stream;
    return this.#options.recorder.step?.queued.note(queued) ?? queued;
  }

  metadata(key: string): string | undefined {
    return this.#stream.metadata?.(key);
  }

  attach(handler: GrpcStreamHandler): void {
    const { number: stream, mode, recorder } = this.#options;
    this.#handler = handler;
    this.#stream.attach({
      onMessage: (bytes) => {
        if (this.#isForeign) return handler.onMessage(bytes);
        // The caller reuses its buffer.
        const kept = Buffer.from(bytes);
        recorder.run(
          () => recordedRequest(stream, kept, mode),
          () => this.#guarded(() => this.#receive(kept)),
        );
      },
      onFlushed: () => {
        if (this.#isForeign) return handler.onFlushed();
        recorder.run(
          () => ({ type: "flushed", stream }),
          () => this.#guarded(() => this.#isClosed || handler.onFlushed()),
        );
      },
      onClose: (reason) => {
        if (this.#isForeign) return handler.onClose(reason);
        if (this.#isClosed) return;
        recorder.run(
          () => ({ type: "closed", stream, reason: reason.type }),
          () => this.#close(reason),
        );
      },
    });
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    const { number: stream, mode, recorder } = this.#options;
    if (!this.#isForeign) recorder.output({ type: "message", stream, mode, prefix, segments });
    this.#stream.send(prefix, segments);
  }

  end(status: GrpcStatus, message = "", hints?: EndHints): void {
    if (this.#isForeign) return this.#stream.end(status, message, hints);
    if (this.#isClosed) return;
    const { number: stream, recorder } = this.#options;
    const end = { type: "end", stream, status, message } as const;
    if (recorder.step === undefined) {
      return recorder.run(
        () => end,
        () => this.end(status, message, hints),
      );
    }
    recorder.output(end);
    this.#close({ type: "server" }, () => this.#stream.end(status, message, hints));
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#handler?.onMessage(bytes);
    this.#isForeign = this.#options.recorder.step?.foreign === true;
  }

  #close(reason: CloseReason, end = () => {}): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    end();
    this.#handler?.onClose(reason);
  }

  /** A bug that shows while a stream is served ends that stream only, also in a step that had to wait. */
  #guarded(work: () => unknown): void {
    try {
      work();
    } catch {
      this.end(GrpcStatus.INTERNAL, "internal error");
    }
  }
}
