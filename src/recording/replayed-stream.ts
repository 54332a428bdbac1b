import type {
  CloseReason,
  EndHints,
  GrpcStatus,
  GrpcStream,
  GrpcStreamHandler,
  Peer,
} from "../lib/grpc/grpc-stream.ts";
import type { Mode } from "../xds/mode.ts";
import type { StepOutput } from "./open-step.ts";

export interface ReplayedStreamOptions {
  readonly number: number;
  readonly mode: Mode;
  readonly peer: Peer;
  /** The next recorded read of unsent bytes. */
  readonly queued: () => number;
  readonly output: (output: StepOutput) => void;
}

/** A stream of a recording. Its client says what it said then. */
export class ReplayedStream implements GrpcStream {
  readonly peer: Peer;
  readonly mode: Mode;
  readonly #options: ReplayedStreamOptions;
  #handler: GrpcStreamHandler | undefined;
  #isClosed = false;

  constructor(options: ReplayedStreamOptions) {
    this.#options = options;
    this.peer = options.peer;
    this.mode = options.mode;
  }

  get closed(): boolean {
    return this.#isClosed;
  }

  get queued(): number {
    return this.#options.queued();
  }

  attach(handler: GrpcStreamHandler): void {
    this.#handler = handler;
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    const { number: stream, mode, output } = this.#options;
    output({ type: "message", stream, mode, prefix, segments });
  }

  end(status: GrpcStatus, message = "", _hints?: EndHints): void {
    if (this.#isClosed) return;
    this.#options.output({ type: "end", stream: this.#options.number, status, message });
    this.close({ type: "server" });
  }

  receive(bytes: Uint8Array): void {
    if (!this.#isClosed) this.#handler?.onMessage(bytes);
  }

  flushed(): void {
    if (!this.#isClosed) this.#handler?.onFlushed();
  }

  close(reason: CloseReason): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#handler?.onClose(reason);
  }
}
