import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";

/** gRPC's frame header: one byte of flags, four bytes of message length. */
const headerBytes = 5;

/** Why the peer's bytes cannot be read on: what the stream has to end with. */
export interface FramingFault {
  readonly status: GrpcStatus;
  readonly message: string;
}

/** The frame header and the message's own prefix in one buffer, for a message that goes on with `segments`. */
export function frameHead(prefix: Uint8Array, segments: readonly Uint8Array[]): Buffer {
  let length = prefix.length;
  for (const segment of segments) length += segment.length;
  const head = Buffer.allocUnsafe(headerBytes + prefix.length);
  head.writeUInt8(0, 0);
  head.writeUInt32BE(length, 1);
  head.set(prefix, headerBytes);
  return head;
}

/**
 * Cuts the chunks of one HTTP/2 stream into gRPC messages. A message that lies within one chunk is handed on as a view
 * of it; one that is spread over several chunks is collected and joined once.
 */
export class Deframer {
  readonly #maxMessageBytes: number;
  readonly #onMessage: (bytes: Uint8Array) => void;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** How many pending bytes make it worth looking again: a header, or a header and its message. */
  #needed = headerBytes;

  constructor(maxMessageBytes: number, onMessage: (bytes: Uint8Array) => void) {
    this.#maxMessageBytes = maxMessageBytes;
    this.#onMessage = onMessage;
  }

  /** Whether the bytes so far stop within a message. */
  get midMessage(): boolean {
    return this.#pendingBytes > 0;
  }

  /** Hands on every message that is complete with this chunk. After a fault the stream is unreadable. */
  push(chunk: Buffer): FramingFault | undefined {
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes < this.#needed) return undefined;
    return this.#cut(this.#pending.length === 1 ? chunk : Buffer.concat(this.#pending, this.#pendingBytes));
  }

  #cut(bytes: Buffer): FramingFault | undefined {
    let start = 0;
    let needed = headerBytes;
    while (bytes.length - start >= headerBytes) {
      const flags = bytes.readUInt8(start);
      const length = bytes.readUInt32BE(start + 1);
      const fault = this.#faultOf(flags, length);
      if (fault !== undefined) return fault;
      const end = start + headerBytes + length;
      if (end > bytes.length) {
        needed = headerBytes + length;
        break;
      }
      this.#onMessage(bytes.subarray(start + headerBytes, end));
      start = end;
    }
    this.#pending = start < bytes.length ? [bytes.subarray(start)] : [];
    this.#pendingBytes = bytes.length - start;
    this.#needed = needed;
    return undefined;
  }

  #faultOf(flags: number, length: number): FramingFault | undefined {
    if (flags !== 0) return { status: GrpcStatus.UNIMPLEMENTED, message: "compressed messages are not supported" };
    if (length <= this.#maxMessageBytes) return undefined;
    return {
      status: GrpcStatus.RESOURCE_EXHAUSTED,
      message: `a message of ${length} bytes is larger than the limit of ${this.#maxMessageBytes} bytes`,
    };
  }
}
