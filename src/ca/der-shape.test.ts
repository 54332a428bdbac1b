import { expect, test } from "vitest";
import { derProblem } from "./der-shape.ts";

const sequence = (...content: readonly Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(content);
  const length = Buffer.from([0x84, 0, 0, 0, 0]);
  length.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([Buffer.from([0x30]), length, bytes]);
};
const nothing = Buffer.from([5, 0]);

function nested(levels: number): Buffer {
  return levels === 0 ? nothing : sequence(nested(levels - 1));
}

test("a structure within the limits has no problem", () => {
  expect(derProblem(sequence(nothing, sequence(), nested(10)))).toBeUndefined();
  expect(derProblem(sequence(...Array.from({ length: 999 }, () => nothing)))).toBeUndefined();
});

test.each([
  ["no bytes", Buffer.alloc(0), "it is empty"],
  ["a tag without a length", Buffer.from([0x30]), "it ends too early"],
  ["more content than bytes", Buffer.from([0x30, 5, 5, 0]), "it ends too early"],
  ["a child that leaves its parent", Buffer.from([0x30, 2, 4, 1, 0]), "it ends too early"],
  ["an indefinite length", Buffer.from([0x30, 0x80, 0, 0]), "it has an element of indefinite length"],
  ["a length of five bytes", Buffer.from([4, 0x85, 0, 0, 0, 0, 0]), "it has an element that is too long"],
  ["a tag of several bytes", Buffer.from([0x3f, 1, 0]), "it uses a tag that no certificate request uses"],
  ["two structures", Buffer.concat([nothing, nothing]), "bytes follow after its end"],
  ["deep nesting", nested(30), "it is nested more than 20 levels deep"],
  ["many elements", sequence(...Array.from({ length: 1_000 }, () => nothing)), "it has more than 1000 elements"],
])("%s is a problem", (_what, bytes, problem) => {
  expect(derProblem(bytes)).toBe(problem);
});
