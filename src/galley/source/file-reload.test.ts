import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { settle } from "../../testing/temp-tree.ts";
import { type FileReader, ReloadingSource } from "./file-reload.ts";
import type { SourceEvent } from "./source.ts";

const deleted: SourceEvent = { type: "deleted", collection: "a", key: "shop/reviews" };
const synced: SourceEvent = { type: "fullSync", collection: "a" };

type HeldRead = PromiseWithResolvers<readonly SourceEvent[]>;

/** A reader whose reads end when the test says so. */
class HeldReader implements FileReader {
  readonly reads: HeldRead[] = [];
  readonly #awaited = new Map<number, PromiseWithResolvers<HeldRead>>();
  closed = false;

  read(): Promise<readonly SourceEvent[]> {
    const read: HeldRead = Promise.withResolvers();
    this.#awaited.get(this.reads.length)?.resolve(read);
    this.reads.push(read);
    return read.promise;
  }

  /** The read of this number, counted from 0, once it has begun. */
  begun(index: number): Promise<HeldRead> {
    const awaited = Promise.withResolvers<HeldRead>();
    const read = this.reads[index];
    if (read === undefined) this.#awaited.set(index, awaited);
    else awaited.resolve(read);
    return awaited.promise;
  }

  close(): void {
    this.closed = true;
  }
}

function rig() {
  const clock = new FakeClock();
  const reader = new HeldReader();
  const calls: (readonly SourceEvent[])[] = [];
  let changed: (() => void) | undefined;
  const source = new ReloadingSource({
    name: "held",
    collections: ["a"],
    clock,
    open: (onChange) => {
      changed = onChange;
      return reader;
    },
  });
  const started = source.start((events) => calls.push(events));
  return { clock, reader, calls, source, started, change: () => changed?.() };
}

async function opened() {
  const all = rig();
  all.reader.reads[0]?.resolve([]);
  await all.started;
  return all;
}

describe("a reloading source", () => {
  test("reads once for changes that come together", async () => {
    const { clock, reader, change } = await opened();
    change();
    clock.advance(19);
    change();
    clock.advance(19);
    expect(reader.reads).toHaveLength(1);
    clock.advance(1);
    expect(reader.reads).toHaveLength(2);
  });

  test("reads in spite of changes that never pause", async () => {
    const { clock, reader, change } = await opened();
    for (let ms = 0; ms < 500; ms += 10) {
      change();
      clock.advance(10);
    }
    expect(reader.reads).toHaveLength(2);
  });

  test("never reads twice at a time; a change during a read brings another", async () => {
    const { clock, reader, change, source, calls } = await opened();
    change();
    clock.advance(20);
    change();
    clock.advance(1000);
    expect(reader.reads).toHaveLength(2);
    reader.reads[1]?.resolve([deleted]);
    const idle = settle(source, clock);
    (await reader.begun(2)).resolve([]);
    await idle;
    expect(calls).toEqual([[synced], [deleted]]);
  });

  test("does not forget a change that comes during the first read", async () => {
    const { clock, reader, change, started } = rig();
    change();
    clock.advance(1000);
    reader.reads[0]?.resolve([]);
    await started;
    clock.advance(20);
    expect(reader.reads).toHaveLength(2);
  });

  test("reads at once when asked to", async () => {
    const { reader, source, calls } = await opened();
    const reloaded = source.reload();
    (await reader.begun(1)).resolve([deleted]);
    await reloaded;
    expect(calls).toEqual([[synced], [deleted]]);
  });

  test("rejects when the first read fails, and can be started again", async () => {
    const { reader, source, started, calls } = rig();
    reader.reads[0]?.reject(new Error("no such directory"));
    await expect(started).rejects.toThrow("no such directory");
    expect(reader.closed).toBe(true);
    const again = source.start((events) => calls.push(events));
    reader.reads[1]?.resolve([]);
    await again;
    expect(calls).toEqual([[synced]]);
  });

  test("reports a later failure under its own name, until a read succeeds", async () => {
    const { reader, source, calls } = await opened();
    const failing = source.reload();
    (await reader.begun(1)).reject(new Error("gone"));
    await failing;
    const succeeding = source.reload();
    (await reader.begun(2)).resolve([]);
    await succeeding;
    expect(calls.slice(1)).toMatchObject([
      [{ type: "issues", part: "held", issues: [{ code: "unreadable" }] }],
      [{ type: "issues", part: "held", issues: [] }],
    ]);
  });

  test("drops what a read brings after the stop, and stops only when that read has ended", async () => {
    const { clock, reader, change, source, calls } = await opened();
    change();
    clock.advance(20);
    const order: string[] = [];
    const stopping = source.stop().finally(() => order.push("stopped"));
    await setImmediate();
    order.push("read");
    reader.reads[1]?.resolve([deleted]);
    await stopping;
    expect(order).toEqual(["read", "stopped"]);
    change();
    clock.advance(1000);
    expect(calls).toEqual([[synced]]);
    expect(reader.reads).toHaveLength(2);
  });
});
