import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { firstRoots, rotationTimes } from "../../ca/rotation.ts";
import type { Roots } from "../../ca/roots.ts";
import { signingAuthority } from "../../testing/ca/signing.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { fileRootStore } from "./file-root-store.ts";

async function setUp() {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  const directory = tree.path("state");
  const watch = { visit: () => undefined, sweep: () => undefined, close: () => undefined };
  const store = () => fileRootStore({ directory, openWatch: () => watch });
  return { directory, store };
}

async function someRoots(): Promise<Roots> {
  return firstRoots((await signingAuthority()).authority, rotationTimes(60_000), 1_000);
}

test("stored roots are read again, keys included, from a file that only its owner can read", async () => {
  const { directory, store } = await setUp();
  const roots = await someRoots();
  expect(await store().read()).toBeUndefined();
  await store().replace(undefined, roots);
  const read = await store().read();
  expect(read?.roots).toEqual(roots);
  expect(read?.roots.signing.key.reveal()).toBe(roots.signing.key.reveal());
  expect(readdirSync(directory)).toEqual(["ca-roots.1.json"]);
  expect(statSync(`${directory}/ca-roots.1.json`).mode & 0o777).toBe(0o600);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("writers that start at once agree on the roots of one of them", async () => {
  const { directory, store } = await setUp();
  const all = await Promise.all(Array.from({ length: 8 }, someRoots));
  const stored = await Promise.all(all.map((roots) => store().replace(undefined, roots)));
  const kept = new Set(stored.map(({ roots }) => roots.signing.certificate));
  expect(kept.size).toBe(1);
  expect(readdirSync(directory)).toHaveLength(1);
});

test("a writer with an old revision changes nothing", async () => {
  const { store } = await setUp();
  const [first, second, late] = await Promise.all([someRoots(), someRoots(), someRoots()]);
  const { revision } = await store().replace(undefined, first);
  await store().replace(revision, second);
  const answer = await store().replace(revision, late);
  expect(answer.roots.signing.certificate).toBe(second.signing.certificate);
  expect((await store().replace(undefined, late)).revision).toBe(answer.revision);
});

test("a file that other users may read is refused", async () => {
  const { directory, store } = await setUp();
  await store().replace(undefined, await someRoots());
  chmodSync(`${directory}/ca-roots.1.json`, 0o640);
  await expect(store().read()).rejects.toThrow("has a private key that other users may read: run chmod 600");
});

test("a file without roots is an error that names the file", async () => {
  const { directory, store } = await setUp();
  await store().replace(undefined, await someRoots());
  writeFileSync(`${directory}/ca-roots.1.json`, "{}");
  await expect(store().read()).rejects.toThrow("ca-roots.1.json does not have the roots of an authority");
});
