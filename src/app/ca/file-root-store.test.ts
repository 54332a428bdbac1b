import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { firstRoots, rotationTimes } from "../../ca/rotation.ts";
import { encodeRoots, type Roots } from "../../ca/roots.ts";
import { signingAuthority } from "../../testing/ca/signing.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { fileRootStore } from "./file-root-store.ts";

async function setUp() {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  const directory = tree.path("state");
  const watch = { visit: () => undefined, sweep: () => undefined, close: () => undefined };
  const store = (timeOfDay = Date.now) => fileRootStore({ directory, openWatch: () => watch, timeOfDay });
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
  expect(read?.content).toEqual(roots);
  expect(read?.content.signing.key.reveal()).toBe(roots.signing.key.reveal());
  expect(readdirSync(directory)).toEqual(["ca-roots.1.json"]);
  expect(statSync(`${directory}/ca-roots.1.json`).mode & 0o777).toBe(0o600);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("writers that start at once agree on the roots of one of them", async () => {
  const { directory, store } = await setUp();
  const all = await Promise.all(Array.from({ length: 8 }, someRoots));
  const stored = await Promise.all(all.map((roots) => store().replace(undefined, roots)));
  const kept = new Set(stored.map(({ content }) => content.signing.certificate));
  expect(kept.size).toBe(1);
  expect(readdirSync(directory)).toHaveLength(1);
});

test("a writer with an old revision changes nothing", async () => {
  const { store } = await setUp();
  const [first, second, late] = await Promise.all([someRoots(), someRoots(), someRoots()]);
  const { revision } = await store().replace(undefined, first);
  await store().replace(revision, second);
  const answer = await store().replace(revision, late);
  expect(answer.content.signing.certificate).toBe(second.signing.certificate);
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

test("a writer that another one overtakes gets the roots of the other one", async () => {
  const { directory, store } = await setUp();
  const [roots, faster] = await Promise.all([someRoots(), someRoots()]);
  const { revision } = await store().replace(undefined, roots);
  const overtaken: Roots = {
    ...roots,
    get trusted() {
      writeFileSync(`${directory}/ca-roots.2.json`, encodeRoots(faster).reveal(), { mode: 0o600 });
      return roots.trusted;
    },
  };
  expect((await store().replace(revision, overtaken)).content).toEqual(faster);
  expect(readdirSync(directory)).toEqual(["ca-roots.2.json"]);
});

test("a write that fails leaves the old roots and nothing else", async () => {
  const { directory, store } = await setUp();
  const roots = await someRoots();
  const { revision } = await store().replace(undefined, roots);
  const broken: Roots = {
    ...roots,
    get trusted(): readonly string[] {
      throw new Error("planted");
    },
  };
  await expect(store().replace(revision, broken)).rejects.toThrow("planted");
  expect(readdirSync(directory)).toEqual(["ca-roots.1.json"]);
  expect((await store().read())?.content).toEqual(roots);
});

test("a replacement removes the file before it", async () => {
  const { directory, store } = await setUp();
  const { revision } = await store().replace(undefined, await someRoots());
  await store().replace(revision, await someRoots());
  expect(readdirSync(directory)).toEqual(["ca-roots.2.json"]);
});

test("drafts of a killed process are removed, and those of a living one are not", async () => {
  const { directory, store } = await setUp();
  await store().replace(undefined, await someRoots());
  const draft = `.ca-roots.${randomUUID()}`;
  writeFileSync(`${directory}/${draft}`, "half a key");
  writeFileSync(`${directory}/.ca-roots.notes`, "of somebody else");
  await store().read();
  expect(readdirSync(directory)).toContain(draft);
  await store(() => Date.now() + 61_000).read();
  expect(readdirSync(directory).toSorted()).toEqual([".ca-roots.notes", "ca-roots.1.json"]);
});

test("a process that is killed while it writes leaves the old roots or the new ones, never half of them", async () => {
  const { directory, store } = await setUp();
  const roots = await someRoots();
  const { revision } = await store().replace(undefined, roots);
  const next = await someRoots();
  const script = `
    import { fileRootStore } from ${JSON.stringify(join(import.meta.dirname, "file-root-store.ts"))};
    import { decodeRoots } from ${JSON.stringify(join(import.meta.dirname, "../../ca/roots.ts"))};
    const [directory, revision, text, ms] = process.argv.slice(1);
    const store = fileRootStore({ directory, openWatch: () => undefined, timeOfDay: Date.now });
    setTimeout(() => process.kill(process.pid, "SIGKILL"), Number(ms));
    await store.replace(revision, decodeRoots(text));
    process.kill(process.pid, "SIGKILL");`;
  const seen = new Set<string>();
  for (const ms of ["0", "1", "2", "1000"]) {
    const args = ["--input-type=module", "-e", script, directory, revision, encodeRoots(next).reveal(), ms];
    spawnSync(process.execPath, args);
    const stored = await store().read();
    seen.add(stored?.content.signing.certificate ?? "nothing");
  }
  expect([roots, next].map(({ signing }) => signing.certificate)).toEqual(expect.arrayContaining([...seen]));
  expect(seen).toContain(next.signing.certificate);
});
