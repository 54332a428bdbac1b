import { assert } from "../../lib/assert.ts";
import type { GrpcStream, GrpcStreamHandler } from "../../lib/grpc-stream.ts";

/** Asks with the first message of a stream who is to hear it, and all that follows. */
export function decidedByFirst(choose: (bytes: Uint8Array) => GrpcStreamHandler): GrpcStreamHandler {
  let chosen: GrpcStreamHandler | undefined;
  return {
    onMessage: (bytes) => {
      chosen ??= choose(bytes);
      chosen.onMessage(bytes);
    },
    onFlushed: () => chosen?.onFlushed(),
    onClose: (reason) => chosen?.onClose(reason),
  };
}

/** Has a stream that was attached to already served by somebody else; the result is who has to be told of everything. */
export function handOver(stream: GrpcStream, serve: (stream: GrpcStream) => void): GrpcStreamHandler {
  let handler: GrpcStreamHandler | undefined;
  serve(new HandedOver(stream, (attached) => (handler = attached)));
  assert(handler !== undefined || stream.closed, "a stream that is handed over is served or ended at once");
  return handler ?? gone;
}

class HandedOver implements GrpcStream {
  readonly #stream: GrpcStream;
  readonly attach: GrpcStream["attach"];

  constructor(stream: GrpcStream, attach: GrpcStream["attach"]) {
    this.#stream = stream;
    this.attach = attach;
  }

  get peer() {
    return this.#stream.peer;
  }

  get closed() {
    return this.#stream.closed;
  }

  get queued() {
    return this.#stream.queued;
  }

  send(...message: Parameters<GrpcStream["send"]>): void {
    this.#stream.send(...message);
  }

  end(...status: Parameters<GrpcStream["end"]>): void {
    this.#stream.end(...status);
  }
}

const gone: GrpcStreamHandler = { onMessage: () => {}, onFlushed: () => {}, onClose: () => {} };
