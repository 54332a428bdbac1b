import { expect, test } from "vitest";
import { Sealed } from "../lib/sealed.ts";
import type { RootStore, StoredRoots } from "./root-store.ts";
import { type Authority, decodeRoots, encodeRoots, type Roots } from "./roots.ts";

const authority = (name: string): Authority => ({
  certificate: `certificate of ${name}`,
  key: new Sealed(`key of ${name}`),
  chain: [`intermediate of ${name}`],
  root: `root of ${name}`,
});

const roots: Roots = {
  phase: "distribute",
  phaseSince: 1_700_000_000_000,
  signing: authority("old"),
  next: authority("new"),
  longestTtlMs: 24,
  awaitedTtlMs: 12,
  trusted: ["root of old", "root of new"],
};

test("encoded roots decode to the same roots", () => {
  const text = encodeRoots(roots).reveal();
  const decoded = decodeRoots(text);
  expect(decoded).toEqual(roots);
  expect(decoded?.next?.key.reveal()).toBe("key of new");
});

test.each([
  ["no JSON", "{"],
  ["no object", "[]"],
  ["an unknown phase", JSON.stringify({ ...JSON.parse(encodeRoots(roots).reveal()), phase: "later" })],
  ["a life of zero", JSON.stringify({ ...JSON.parse(encodeRoots(roots).reveal()), longestTtlMs: 0 })],
  ["a life that is no number", JSON.stringify({ ...JSON.parse(encodeRoots(roots).reveal()), awaitedTtlMs: "1" })],
  ["no signing authority", JSON.stringify({ ...JSON.parse(encodeRoots(roots).reveal()), signing: undefined })],
  ["half an authority", JSON.stringify({ ...JSON.parse(encodeRoots(roots).reveal()), next: { certificate: "a" } })],
  ["a root that is no text", JSON.stringify({ ...JSON.parse(encodeRoots(roots).reveal()), trusted: [1] })],
])("a text with %s holds no roots", (_problem, text) => {
  expect(decodeRoots(text)).toBeUndefined();
});

test("the encoded text shows nothing in JSON", () => {
  expect(JSON.stringify([encodeRoots(roots), roots])).not.toContain("key of");
});

test("a store keeps the roots of the first of two writers", async () => {
  const store = memoryStore();
  const [first, second] = await Promise.all([store.replace(undefined, roots), store.replace(undefined, roots)]);
  expect(second).toBe(first);
});

/** The contract in its smallest form. */
function memoryStore(): RootStore {
  let kept: StoredRoots | undefined;
  return {
    read: async () => kept,
    replace: async (previous, next) => {
      if (kept !== undefined && kept.revision !== previous) return kept;
      kept = { content: next, revision: `${Number(kept?.revision ?? 0) + 1}` };
      return kept;
    },
    watch: () => ({ stop: () => undefined }),
  };
}
