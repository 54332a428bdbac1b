import { describe, expect, onTestFinished, test } from "vitest";
import { readSegment } from "../../history/segment.ts";
import { configsIn } from "../../testing/config/configs-in.ts";
import { segmentRecords } from "../../testing/history/written-segment.ts";
import { MemorySegments } from "../../testing/history/memory-segments.ts";
import { MemoryEtcd } from "../../testing/server/memory-etcd.ts";
import { shopEntry } from "../../testing/server/wired-server.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { historyStore, serverHistoryStore } from "./history-store.ts";
import { type SegmentStore, segmentName } from "./segment-store.ts";

async function openEtcd() {
  const etcd = await MemoryEtcd.start();
  onTestFinished(() => etcd[Symbol.asyncDispose]());
  const open = (prefix = "log") => {
    const store = historyStore(`etcd://${etcd.address}/${prefix}`);
    onTestFinished(() => store.close());
    return store;
  };
  return { etcd, open };
}

const stores: Readonly<Record<string, () => Promise<SegmentStore>>> = {
  "in memory": () => Promise.resolve(new MemorySegments()),
  "in a directory": async () => {
    const tree = await TempTree.create();
    onTestFinished(() => tree.close());
    const store = historyStore(tree.path("history"));
    onTestFinished(() => store.close());
    return store;
  },
  "in etcd": async () => (await openEtcd()).open(),
};

const [first, second] = [1, 8].map((number) => segmentName({ number, at: 1_000 * number }, "0000000a")) as [
  string,
  string,
];
const sizes = async (store: SegmentStore) =>
  (await store.list())
    .map(({ name, bytes, begin }) => ({ name, bytes, begin }))
    .toSorted((a, b) => a.begin.at - b.begin.at);

describe.each(Object.entries(stores))("segments %s", (_, create) => {
  test("are listed with their bytes, read and deleted", async () => {
    const store = await create();
    await store.prepare();
    expect(await store.list()).toEqual([]);
    await store.append(first, "one\n");
    await store.append(first, "zwei\u00e4\n");
    await store.append(second, "three\n");
    expect(await store.read(first)).toBe("one\nzwei\u00e4\n");
    expect(await sizes(store)).toEqual([
      { name: first, bytes: 11, begin: { number: 1, at: 1_000 } },
      { name: second, bytes: 6, begin: { number: 8, at: 8_000 } },
    ]);
    await store.remove(first);
    expect(await store.read(first)).toBe("");
    expect(await store.read(second)).toBe("three\n");
    expect((await sizes(store)).map(({ name }) => name)).toEqual([second]);
  });

  test("keep long texts, whatever characters they have", async () => {
    const store = await create();
    await store.prepare();
    // Every offset of a pair of surrogates meets the end of a value once.
    const texts = ["", "a", "ab"].map((start) => `${start}${"\u{1f680}\u00e4".repeat(120_000)}\n`);
    for (const text of texts) await store.append(first, text);
    expect((await store.read(first)) === texts.join("")).toBe(true);
    expect(await sizes(store)).toMatchObject([{ bytes: Buffer.byteLength(texts.join("")) }]);
  });
});

describe("segments in etcd", () => {
  const configs = ["one", "two", "three"].flatMap((name) => configsIn(shopEntry(name)));
  const records = segmentRecords(configs.slice(0, 1), configs.slice(1));

  test("are whole after writes that failed, and after writes whose answers were lost", async () => {
    const { etcd, open } = await openEtcd();
    const store = open();
    for (const record of records) {
      etcd.lostAnswers = 1;
      await expect(store.append(first, record)).rejects.toThrow("etcd: ");
      etcd.room = 0;
      await expect(store.append(first, record)).rejects.toThrow("space exceeded");
      etcd.room = Infinity;
      await store.append(first, record);
    }
    const segment = readSegment(await open().read(first));
    expect(segment?.moments.map(({ number }) => number)).toEqual([2, 3]);
    expect(segment).toMatchObject({ damaged: 0 });
  });

  test("have a line whole after a part of it was written", async () => {
    const { etcd, open } = await openEtcd();
    const store = open();
    const line = `${"x".repeat(200_000)}\n`;
    etcd.room = 1;
    await expect(store.append(first, line)).rejects.toThrow("space exceeded");
    etcd.room = Infinity;
    await store.append(first, line);
    expect((await store.read(first)).endsWith(`\n${line}`)).toBe(true);
  });

  test("are read in pages", async () => {
    const store = (await openEtcd()).open();
    const lines = Array.from({ length: 150 }, (_, index) => `${index}\n`);
    for (const line of lines) await store.append(first, line);
    expect(await store.read(first)).toBe(lines.join(""));
  });

  test("are read on after a member restarts", async () => {
    const { etcd, open } = await openEtcd();
    const store = open();
    await store.append(first, "one\n");
    await etcd.restart();
    const read = async () => await store.read(first);
    expect(await read().catch(read)).toBe("one\n");
  });

  test("of another prefix are others", async () => {
    const { etcd, open } = await openEtcd();
    const [one, other] = [open("log"), open("log-2")];
    await one.append(first, "one\n");
    await other.append(first, "two\n");
    await one.remove(first);
    expect(await other.read(first)).toBe("two\n");
    expect([...etcd.values.keys()].every((key) => key.startsWith("/log-2/"))).toBe(true);
  });

  test("may not stand among the objects of a source", () => {
    const sources = ["etcd://127.0.0.1:2379/mesh"];
    const at = (history: string) => serverHistoryStore({ history, sources });
    expect(() => at("etcd://127.0.0.1:2379/mesh/history")).toThrow(
      "--history: choose a prefix that is not below /mesh",
    );
    expect(() => at("etcd://127.0.0.1:2379/mesh")).toThrow("--history");
    expect(() => at("etcd://127.0.0.1:2379/mesh-history")).not.toThrow();
    expect(() => at("etcd://127.0.0.1:2379")).toThrow("--history etcd://127.0.0.1:2379");
  });
});
