import { ByteStore } from "../../../lib/bounded/byte-store.ts";
import { overLimit } from "../../../lib/bounded/limit.ts";
import { MeshError } from "../../../lib/errors.ts";

/** Before each answer: how many bytes it has. */
const headBytes = 4;
/** Where greetings and data have the length of what they bring, after the head and sixteen bytes of other things. */
const lengthAt = headBytes + 16;

/**
 * Cuts what a server sends into whole answers. The client library would collect as many bytes as the server says it
 * sends, joining them anew with each read, and would throw at those that are none.
 */
export class AnswerFrames {
  readonly #maxBytes: number;
  readonly #onAnswer: (answer: Buffer) => void;
  readonly #store = new ByteStore({ what: "an answer of ZooKeeper", maxBytes: Number.MAX_SAFE_INTEGER });
  /** How many bytes make it worth looking again. */
  #needed = headBytes;

  constructor(maxBytes: number, onAnswer: (answer: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#onAnswer = onAnswer;
  }

  /** The connection went, and with it the rest of an answer. */
  reset(): void {
    this.#store.take();
    this.#needed = headBytes;
  }

  /** Throws, as soon as it is announced, at what is larger than the limit, and at what cannot be an answer. */
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

/** The library reserves as many bytes as an answer says that its data have: no more than it has itself. */
export function checkLength(answer: Buffer): void {
  // A refusal, such as that there is no such node, brings none.
  if (answer.length < lengthAt + 4) return;
  const length = answer.readInt32BE(lengthAt);
  if (length > answer.length - lengthAt - 4)
    throw new MeshError("peer-protocol", `an answer of ZooKeeper says that it has ${length} bytes of data`);
}
