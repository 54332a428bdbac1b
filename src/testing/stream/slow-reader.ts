import { once } from "node:events";
import type { Http2Stream } from "node:http2";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { until } from "../until.ts";

/** A frame's head in front of gRPC's messages. */
const headBytes = 5;

/** The other end of a gRPC stream, which reads as much as a test tells it to, and keeps it. */
export class SlowReader {
  readonly #stream: Http2Stream;
  readonly #chunks: Buffer[] = [];

  constructor(stream: Http2Stream) {
    this.#stream = stream.pause();
  }

  /** What it has read so far, of one message. */
  get message(): Buffer {
    return Buffer.concat(this.#chunks).subarray(headBytes);
  }

  /** Reads so many bytes, or somewhat more. */
  async read(bytes: number): Promise<void> {
    for (let missing = bytes; missing > 0; ) {
      const chunk = this.#stream.read() as Buffer | null;
      if (chunk === null) await once(this.#stream, "readable");
      else {
        this.#chunks.push(chunk);
        missing -= chunk.length;
      }
    }
  }
}

/** Reads all that is queued at the sender, so much at a time, and calls `meanwhile` after each. */
export async function readSlowly(
  reader: SlowReader,
  sender: GrpcStream,
  { bytes, meanwhile }: { readonly bytes: number; readonly meanwhile: () => void },
): Promise<void> {
  while (sender.queued > 0) {
    const { queued } = sender;
    await reader.read(bytes);
    await until(() => sender.queued < queued || sender.closed);
    if (sender.closed) return;
    meanwhile();
  }
}
