import { expect, test } from "vitest";
import { Journal } from "./journal.ts";

const entry = (at: number) => ({ at, collection: "c", nonce: String(at), incremental: false });

test("a journal keeps the last 32 requests, oldest first", () => {
  const journal = new Journal();
  for (let at = 0; at < 40; at++) journal.add(entry(at));
  expect(journal.entries.map(({ at }) => at)).toEqual(Array.from({ length: 32 }, (_, index) => index + 8));
});

test("a NACK in a journal shows its reason, and returned entries do not change", () => {
  const journal = new Journal();
  journal.add({ ...entry(1), error: { code: 3, message: "no" } });
  const { entries } = journal;
  journal.add(entry(2));
  expect(entries).toEqual([{ ...entry(1), error: { code: 3, message: "no" } }]);
});

test("a journal truncates long texts", () => {
  const journal = new Journal();
  journal.add({ ...entry(1), collection: "x".repeat(1_000_000), error: { code: 3, message: "y".repeat(1_000_000) } });
  expect(JSON.stringify(journal.entries).length).toBeLessThan(2_000);
});

test("a journal keeps texts of 500 characters whole, and marks a truncated one", () => {
  const journal = new Journal();
  for (const count of [500, 501]) journal.add({ ...entry(count), collection: "x".repeat(count) });
  expect(journal.entries.map(({ collection }) => collection)).toEqual(["x".repeat(500), `${"x".repeat(500)}…`]);
});
