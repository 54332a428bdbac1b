import { expect, test } from "vitest";
import { boundedFields } from "./bounded-fields.ts";

const long = "x".repeat(3_000_000);
const cut = `${"x".repeat(256)}… (3000000 characters)`;

test("long texts are cut wherever they are in a line, also as keys", () => {
  const fields = { node: long, rejected: [{ message: long, resources: [long, "reviews"] }], [long]: 1 };
  expect(boundedFields(fields)).toEqual({
    node: cut,
    rejected: [{ message: cut, resources: [cut, "reviews"] }],
    [cut]: 1,
  });
});

test("short fields stay as they are", () => {
  const fields = { type: "CDS", resources: 12, cause: ["request"], held: false, at: null, none: undefined };
  expect(boundedFields(fields)).toEqual(fields);
});

test("an error keeps more of its stack than of a text, and its code and cause", () => {
  const cause = new Error(long);
  const { err } = boundedFields({ err: Object.assign(new Error("push failed", { cause }), { code: "ENOSPC" }) });
  expect(err).toMatchObject({
    type: "Error",
    code: "ENOSPC",
    message: expect.stringMatching(/^push failed: x+… \(\d+ characters\)$/u),
    stack: expect.stringContaining("bounded-fields.test.ts"),
  });
  expect(JSON.stringify(err).length).toBeLessThan(12_000);
});

test("long lists, bytes and deep objects are shortened", () => {
  let deep: object = { node: long };
  for (let level = 0; level < 10_000; level++) deep = { deep };
  const names = Array.from({ length: 250 }, (_, index) => index);
  const { names: shown, bytes } = boundedFields({ names, bytes: new Uint8Array(7) });
  expect(shown).toEqual([...names.slice(0, 100), "… and 150 more"]);
  expect(bytes).toBe("7 bytes");
  expect(JSON.stringify(boundedFields({ deep })).length).toBeLessThan(100);
});
