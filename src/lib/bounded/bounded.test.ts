import { describe, expect, test } from "vitest";
import { boundedLines } from "./bounded-lines.ts";
import { limitsOf } from "./limit.ts";
import { readBounded, readJson } from "./read-bounded.ts";

/** A stream of these texts that counts how many were read from it. */
class Chunks {
  taken = 0;
  ended = false;
  readonly #texts: Iterable<string>;

  constructor(texts: Iterable<string>) {
    this.#texts = texts;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (const text of this.#texts) {
        this.taken += 1;
        yield Buffer.from(text);
      }
    } finally {
      this.ended = true;
    }
  }
}

function* forEver(text: string): Generator<string> {
  for (;;) yield text;
}

const limit = { what: "the answer", maxBytes: 10, maxValues: 5 };

describe("a bounded reading", () => {
  test("returns the whole stream", async () => {
    expect((await readBounded(new Chunks(["hello", "world"]), limit)).toString()).toBe("helloworld");
    expect((await readBounded(new Chunks([]), limit)).toString()).toBe("");
  });

  test("ends the stream with the first chunk that exceeds the limit", async () => {
    const chunks = new Chunks(forEver("abc"));
    const error = { code: "limit-exceeded", message: "the answer exceeds the limit of 10 bytes: 12 came" };
    await expect(readBounded(chunks, limit)).rejects.toMatchObject(error);
    expect(chunks).toMatchObject({ taken: 4, ended: true });
  });

  test("of JSON counts values before it parses them", async () => {
    expect(await readJson(new Chunks(["[1,2,3]"]), limit)).toEqual([1, 2, 3]);
    await expect(readJson(new Chunks(["[[],[],[]]"]), limit)).rejects.toThrow("the limit of 5 values: 7 came");
    await expect(readJson(new Chunks(["[1,"]), limit)).rejects.toMatchObject({
      code: "peer-protocol",
      message: "the answer is cut off, or no JSON",
    });
  });
});

async function linesOf(...texts: readonly string[]) {
  const reads: (readonly string[])[] = [];
  for await (const lines of boundedLines(new Chunks(texts), limit)) reads.push(lines);
  return reads;
}

describe("bounded lines", () => {
  test("come in one list per read, and the last one may lack its newline", async () => {
    expect(await linesOf("one\ntw", "o\n\nthree\n", "cut off")).toEqual([["one"], ["two", "three"], ["cut off"]]);
  });

  test("may be split at any byte, also within a character", async () => {
    const [first, second] = [Buffer.from("é\n").subarray(0, 1), Buffer.from("é\n").subarray(1)];
    const chunks = (async function* () {
      yield first as Uint8Array;
      yield second as Uint8Array;
    })();
    const reads = [];
    for await (const lines of boundedLines(chunks, limit)) reads.push(lines);
    expect(reads).toEqual([["é"]]);
  });

  test("longer than the limit fail before they end, and end the stream", async () => {
    const chunks = new Chunks(forEver("abc"));
    const reading = (async () => {
      for await (const _lines of boundedLines(chunks, limit));
    })();
    await expect(reading).rejects.toThrow("the answer exceeds the limit of 10 bytes: 12 came");
    expect(chunks).toMatchObject({ taken: 4, ended: true });
    await expect(linesOf("12345678901\n")).rejects.toThrow("11 came");
    expect(await linesOf("1234567890\n1234567890\n")).toEqual([["1234567890", "1234567890"]]);
  });
});

test("limits come from the table, unless the caller passes others", () => {
  const table = {
    bytes: { of: "an answer", most: 100, unit: "bytes", why: "" },
    pages: { of: "pages", most: 5, unit: "count", why: "" },
  } as const;
  expect(limitsOf(table, { pages: 1 })).toEqual({ bytes: 100, pages: 1 });
});
