import type { BufferPool } from "../lib/bounded/buffer-pool.ts";
import { ByteStore } from "../lib/bounded/byte-store.ts";
import { MeshError } from "../lib/errors.ts";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";

/** gRPC's frame header: one byte of flags, four bytes of message length. */
const headerBytes = 5;

/** Why the peer's bytes are unreadable, with the status that ends the stream. */
export interface FramingFault {
  readonly status: GrpcStatus;
  readonly message: string;
  /** The announced length of a message that is too large. */
  readonly length?: number;
}

/** The fault as an error of a client: `limit-exceeded` or `peer-protocol`. */
export function faultError({ message, length }: FramingFault): MeshError {
  return new MeshError(length === undefined ? "peer-protocol" : "limit-exceeded", message);
}

/** The frame header and the message's own prefix in one buffer. The message continues with `segments`. */
export function frameHead(prefix: Uint8Array, segments: readonly Uint8Array[]): Buffer {
  let length = prefix.length;
  for (const segment of segments) length += segment.length;
  const head = Buffer.allocUnsafe(headerBytes + prefix.length);
  head.writeUInt8(0, 0);
  head.writeUInt32BE(length, 1);
  head.set(prefix, headerBytes);
  return head;
}

interface DeframerOptions {
  /** Asked after each message: then the rest of the chunk stays unread. */
  readonly mustPause?: () => boolean;
  /** For messages over several chunks. With it, a message is valid only while it is passed on. */
  readonly buffers?: BufferPool;
}

/**
 * Splits the chunks of one HTTP/2 stream into gRPC messages. A message within one chunk is passed on as a view. A
 * message over several chunks is copied, because a chunk of one byte may be a view of 64 KiB. The copy takes at most
 * twice the received bytes, whatever length was announced.
 */
export class Deframer {
  readonly #maxMessageBytes: number;
  readonly #onMessage: (bytes: Uint8Array) => void;
  readonly #pending: ByteStore;
  /** The number of pending bytes needed for progress: a header, or a header and its message. */
  #needed = headerBytes;
  readonly #mustPause: () => boolean;
  #unread: Buffer | undefined;

  constructor(
    maxMessageBytes: number,
    onMessage: (bytes: Uint8Array) => void,
    { mustPause = () => false, buffers }: DeframerOptions = {},
  ) {
    this.#maxMessageBytes = maxMessageBytes;
    this.#onMessage = onMessage;
    this.#mustPause = mustPause;
    this.#pending = new ByteStore({ what: "a message", maxBytes: headerBytes + maxMessageBytes }, buffers);
  }

  /** Whether the received bytes end within a message. */
  get midMessage(): boolean {
    return this.#pending.length > 0;
  }

  /** The memory of an incomplete message. */
  get heldBytes(): number {
    return this.#pending.capacity;
  }

  /** The rest of the last chunk after a pause. The caller pushes it again, before the next chunk. */
  takeUnread(): Buffer | undefined {
    const unread = this.#unread;
    this.#unread = undefined;
    return unread;
  }

  /** Passes on every message that this chunk completes, up to a pause. After a fault the stream is unreadable. */
  push(chunk: Buffer): FramingFault | undefined {
    let rest = chunk;
    while (this.midMessage && rest.length > 0) {
      const part = rest.subarray(0, this.#needed - this.#pending.length);
      rest = rest.subarray(part.length);
      this.#pending.add(part);
      if (this.#pending.length < this.#needed) return undefined;
      const fault = this.#pending.lend((bytes) => this.#cut(bytes));
      if (fault !== undefined) return fault;
    }
    return this.#cut(rest);
  }

  #cut(bytes: Buffer): FramingFault | undefined {
    let start = 0;
    this.#needed = headerBytes;
    while (bytes.length - start >= headerBytes) {
      const flags = bytes.readUInt8(start);
      const length = bytes.readUInt32BE(start + 1);
      const fault = this.#faultOf(flags, length);
      if (fault !== undefined) return fault;
      const end = start + headerBytes + length;
      if (end > bytes.length) {
        this.#needed = headerBytes + length;
        break;
      }
      this.#onMessage(bytes.subarray(start + headerBytes, end));
      start = end;
      if (start < bytes.length && this.#mustPause()) {
        this.#unread = bytes.subarray(start);
        return undefined;
      }
    }
    if (start < bytes.length) this.#pending.add(bytes.subarray(start));
    return undefined;
  }

  #faultOf(flags: number, length: number): FramingFault | undefined {
    if (flags !== 0) return { status: GrpcStatus.UNIMPLEMENTED, message: "compressed messages are not supported" };
    if (length <= this.#maxMessageBytes) return undefined;
    return {
      status: GrpcStatus.RESOURCE_EXHAUSTED,
      message: `a message of ${length} bytes is larger than the limit of ${this.#maxMessageBytes} bytes`,
      length,
    };
  }
}
