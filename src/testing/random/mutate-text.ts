import { decodeText } from "../../config/yaml/characters.ts";
import type { Random } from "./random.ts";

/** Replaces a few bytes of a file, and returns the text that a reader gets. */
export function mutateBytes(text: string, random: Random): string {
  let bytes = Buffer.from(text);
  for (let count = 1 + random.below(3); count > 0; count -= 1) bytes = random.pick(byteEdits)(bytes, random);
  return decodeText(bytes);
}

type ByteEdit = (bytes: Buffer, random: Random) => Buffer<ArrayBuffer>;

const byteEdits: readonly ByteEdit[] = [
  (bytes, random) => replaced(bytes, range(bytes, random, 1), Buffer.from([random.below(256)])),
  (bytes, random) => replaced(bytes, range(bytes, random, 0), Buffer.from([random.below(256)])),
  (bytes, random) => replaced(bytes, range(bytes, random, 20), Buffer.alloc(0)),
  (bytes, random) => replaced(bytes, [random.below(bytes.length), bytes.length], Buffer.alloc(0)),
  (bytes, random) => {
    const [start, end] = range(bytes, random, 60);
    return replaced(bytes, range(bytes, random, 0), bytes.subarray(start, end));
  },
  (bytes, random) => replaced(bytes, range(bytes, random, 0), Buffer.from(random.pick(oddBytes))),
];

/** A byte order mark, a NUL, half a character, line ends of other systems, tabs. */
const oddBytes = ["\uFEFF", "\0", "\u2028", "\u0085", "\r", "\t", "\r\n", "\u{1F600}", "\u0007"];

function range(bytes: Buffer, random: Random, maxLength: number): readonly [start: number, end: number] {
  const start = random.below(bytes.length + 1);
  return [start, Math.min(bytes.length, start + (maxLength <= 1 ? maxLength : random.below(maxLength)))];
}

function replaced(bytes: Buffer, [start, end]: readonly [number, number], by: Buffer): Buffer<ArrayBuffer> {
  return Buffer.concat([bytes.subarray(0, start), by, bytes.subarray(end)]);
}

/** Swaps, doubles or drops whole words, signs and indentations. */
export function mutateTokens(text: string, random: Random): string {
  const tokens = text.match(/\n[ ]*|[\w.-]+|[^\w]/gu) ?? [];
  if (tokens.length === 0) return random.pick(oddTokens);
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const at = random.below(tokens.length);
    const other = random.once(2) ? random.pick(oddTokens) : random.pick(tokens);
    tokens.splice(at, random.below(3), ...(random.once(4) ? [] : [other]));
    if (tokens.length === 0) break;
  }
  return tokens.join("");
}

const signs = "{ } [ ] : - ? | > & * ! # % @ , ' \" ` ~ <<".split(" ");
const marks = ["---", "\n---\n", "...", "\n...\n", "&a ", "*a", "!!binary ", "!!set ", "!!timestamp ", "%YAML 1.1\n"];
const scalars = ["null", "true", "no", "-1", "0", "1e999", "0x7fffffff", "9007199254740993", ".inf", ".nan", "65536"];
const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "kind", "spec", "metadata", "apiVersion"];
const values = ["((a+)+)+$", "*.", "*", "10.0.0.0/8", "::1", "-5s", "99999999h", "2020-01-01", "a".repeat(100)];
const indentations = ["\n  ", "\n\t", "\n          ", "    "];
const nestings = ["[[[[[[[[[[[[[[[[", "{a: {a: {a: {a: {a: {a: "];
const oddTokens = [...signs, ...marks, ...scalars, ...names, ...values, ...indentations, ...nestings];
