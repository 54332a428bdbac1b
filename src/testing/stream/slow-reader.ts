import { once } from "node:events";
import type { Http2Stream } from "node:http2";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { until } from "../until.ts";

/** The frame header in front of gRPC messages. */
const headBytes = 5;

/** The other end of a gRPC stream. It reads as much as a test requests, and keeps it. */
export class SlowReader {
  readonly #stream: Http2Stream;
  readonly #chunks: Buffer[] = [];

  constructor(stream: Http2Stream) {
    this.#stream = stream.pause();
  }

  /** The bytes of one message read so far. */
  get message(): Buffer {
    return Buffer.concat(this.#chunks).subarray(headBytes);
  }

  /** Reads this many bytes, or somewhat more. */
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

/** Reads everything queued at the sender, a fixed amount at a time, and calls `meanwhile` after each read. */
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
