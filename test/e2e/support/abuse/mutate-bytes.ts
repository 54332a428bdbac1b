import type { Random } from "../../../../src/testing/random/random.ts";

/** A way to spoil a message; `others` are there to take pieces from. */
type Mutation = (bytes: Buffer, random: Random, others: readonly Buffer[]) => Buffer;

const mutations: readonly Mutation[] = [
  (bytes, random) => {
    const flipped = Buffer.from(bytes);
    if (flipped.length > 0) {
      const at = random.below(flipped.length);
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << random.below(8)), at);
    }
    return flipped;
  },
  (bytes, random) => {
    const replaced = Buffer.from(bytes);
    if (replaced.length > 0) replaced.writeUInt8(random.below(256), random.below(replaced.length));
    return replaced;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => bytes.subarray(random.below(bytes.length + 1)),
  (bytes, random) => spliced(bytes, random, Buffer.from([random.below(256), random.below(256)])),
  (bytes, random, others) => spliced(bytes, random, random.pick(others)),
  (bytes, random) => spliced(bytes, random, Buffer.alloc(1 + random.below(9), 0xff)),
  (bytes, random) => Buffer.concat([bytes, bytes.subarray(random.below(bytes.length + 1))]),
];

/** The message, spoilt once to three times. */
export function mutated(bytes: Buffer, random: Random, others: readonly Buffer[]): Buffer {
  let result = bytes;
  for (let times = 1 + random.below(3); times > 0; times--) result = random.pick(mutations)(result, random, others);
  return result;
}

function spliced(bytes: Buffer, random: Random, piece: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}
