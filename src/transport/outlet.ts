import type { Http2Stream } from "node:http2";

/** Where the bytes of a stream's messages leave. */
export interface Outlet {
  /** Bytes written but not yet taken by the socket. */
  readonly queued: number;
  /** Takes one message, by reference. `messageLeft` is called when its last byte is in the socket, or the stream dead. */
  write(head: Uint8Array, segments: readonly Uint8Array[]): void;
  /** Ends the stream behind what was written. */
  end(): void;
}

/** Hands every message to the socket at once, under one cork. */
export function directOutlet(stream: Http2Stream, messageLeft: () => void): Outlet {
  return {
    get queued() {
      return stream.writableLength;
    },
    write(head, segments) {
      let waiting = head;
      stream.cork();
      for (const segment of segments) {
        stream.write(waiting);
        waiting = segment;
      }
      stream.write(waiting, messageLeft);
      stream.uncork();
    },
    end: () => void stream.end(),
  };
}
