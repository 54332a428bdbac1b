import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { GrpcStream, GrpcStreamHandler } from "../../lib/grpc/grpc-stream.ts";

/** Both directions of an intercepted stream. */
interface Line<Q extends DescMessage, R extends DescMessage> {
  readonly toServer: (request: MessageShape<Q>) => void;
  readonly toClient: (response: MessageShape<R>) => void;
}

interface Between<Q extends DescMessage, R extends DescMessage> {
  readonly requestSchema: Q;
  readonly responseSchema: R;
  /** Says what the server hears in place of a request. */
  readonly onRequest: (request: MessageShape<Q>, line: Line<Q, R>) => void;
  /** Says what the client hears in place of a response. */
  readonly onResponse: (response: MessageShape<R>, line: Line<Q, R>) => void;
}

/** The server's end of a stream whose messages pass through an interceptor. */
export function intercept<Q extends DescMessage, R extends DescMessage>(
  stream: GrpcStream,
  { requestSchema, responseSchema, onRequest, onResponse }: Between<Q, R>,
): GrpcStream {
  let server: GrpcStreamHandler | undefined;
  const line: Line<Q, R> = {
    toServer: (request) => server?.onMessage(toBinary(requestSchema, request)),
    toClient: (response) => stream.send(toBinary(responseSchema, response), []),
  };
  return {
    peer: stream.peer,
    get closed() {
      return stream.closed;
    },
    get queued() {
      return stream.queued;
    },
    attach(handler) {
      server = handler;
      stream.attach({
        onMessage: (bytes) => onRequest(fromBinary(requestSchema, bytes), line),
        onFlushed: () => handler.onFlushed(),
        onClose: (reason) => handler.onClose(reason),
      });
    },
    send: (prefix, segments) => onResponse(fromBinary(responseSchema, Buffer.concat([prefix, ...segments])), line),
    end: (status, message) => stream.end(status, message),
  };
}
