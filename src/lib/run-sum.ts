const [factorA, factorB] = [0x85eb_ca6b, 0xc2b2_ae35];
const [wordFactorA, wordFactorB] = [0xcc9e_2d51, 0x9e37_79b1];
/** Two halves in one number, far enough apart that a sum of the lower ones does not reach the upper ones. */
const half = 64n;

/**
 * The sum of the hashes of byte runs. It does not depend on their order, and sums of sums are sums: so sets of runs are
 * compared without sorting them. It makes no object per run, because a client that comes back sends thousands of them.
 * Each hash has 64 bits. It is no version: it never leaves the process.
 */
export class RunSum {
  readonly #bytes: DataView;
  #a = 0;
  #b = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Adds the run from `start` to `end`. */
  add(start: number, end: number): this {
    const bytes = this.#bytes;
    let a = end - start;
    let b = ~a;
    let at = start;
    for (; at + 4 <= end; at += 4) {
      const word = bytes.getInt32(at, true);
      a = Math.imul(a ^ Math.imul(word, wordFactorA), factorA);
      a ^= a >>> 15;
      b = Math.imul(b ^ Math.imul(word, wordFactorB), factorB);
      b ^= b >>> 13;
    }
    for (; at < end; at++) {
      const byte = bytes.getUint8(at);
      a = Math.imul(a ^ byte, factorA);
      a ^= a >>> 15;
      b = Math.imul(b ^ byte, factorB);
      b ^= b >>> 13;
    }
    this.#a += mixed(a, factorB);
    this.#b += mixed(b, factorA);
    return this;
  }

  /** Of all runs so far. Zero without one. */
  get digest(): bigint {
    return (BigInt(this.#a) << half) + BigInt(this.#b);
  }
}

/** Spreads every bit over the whole number. */
function mixed(value: number, factor: number): number {
  let rest = Math.imul(value ^ (value >>> 16), factor);
  rest = Math.imul(rest ^ (rest >>> 13), factorA);
  return (rest ^ (rest >>> 16)) >>> 0;
}

/** The digest of one run. */
export function digestOfRun(run: Uint8Array | string): bigint {
  const bytes = typeof run === "string" ? Buffer.from(run) : run;
  return new RunSum(bytes).add(0, bytes.length).digest;
}
