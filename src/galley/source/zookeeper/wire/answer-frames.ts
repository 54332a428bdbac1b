import { ByteStore } from "../../../../lib/bounded/byte-store.ts";
import { overLimit } from "../../../../lib/bounded/limit.ts";
import { MeshError } from "../../../../lib/errors.ts";

/** The length prefix of each answer. */
const headBytes = 4;

/** Splits the bytes of a server into whole answers, each with its length. It buffers as many bytes as came. */
export class AnswerFrames {
  readonly #maxBytes: number;
  readonly #onAnswer: (answer: Buffer) => void;
  readonly #store = new ByteStore({ what: "an answer of ZooKeeper", maxBytes: Number.MAX_SAFE_INTEGER });
  /** The number of buffered bytes that the next parse needs. */
  #needed = headBytes;

  constructor(maxBytes: number, onAnswer: (answer: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#onAnswer = onAnswer;
  }

  /** The connection ended, and the rest of a partial answer is lost. */
  reset(): void {
    this.#store.take();
    this.#needed = headBytes;
  }

  /** Throws for an answer over the limit, as soon as its length arrives, and for invalid answers. */
  push(chunk: Uint8Array): void {
    this.#store.add(chunk);
    if (this.#store.length < this.#needed) return;
    let rest = this.#store.take();
    this.#needed = headBytes;
    while (rest.length >= this.#needed) {
      const size = rest.length < headBytes ? 0 : this.#sizeOf(rest);
      this.#needed = headBytes + size;
      if (rest.length < this.#needed) break;
      const answer = rest.subarray(0, this.#needed);
      rest = rest.subarray(this.#needed);
      this.#needed = headBytes;
      this.#onAnswer(answer);
    }
    this.#store.add(rest);
  }

  #sizeOf(bytes: Buffer): number {
    const size = bytes.readInt32BE(0);
    if (size < 0) throw new MeshError("peer-protocol", `an answer of ZooKeeper has ${size} bytes`);
    if (size > this.#maxBytes) throw overLimit("an answer of ZooKeeper", this.#maxBytes, "bytes", size);
    return size;
  }
}
