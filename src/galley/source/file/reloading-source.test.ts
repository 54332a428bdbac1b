import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { MeshError } from "../../../lib/errors.ts";
import { fakeConfig } from "../../../testing/config/fake-config.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { settle } from "../../../testing/temp-tree.ts";
import type { SourceEvent } from "../source.ts";
import { type FileReader, ReloadingSource, type ReportChanges } from "./reloading-source.ts";

const deleted: SourceEvent = { type: "deleted", collection: "a", key: "shop/reviews" };
const upserted: SourceEvent = { type: "upserted", collection: "a", config: fakeConfig({ name: "reviews" }) };
const synced: SourceEvent = { type: "fullSync", collection: "a" };

type HeldLook = PromiseWithResolvers<readonly SourceEvent[]>;

/** A reader whose looks end when the test says so. */
class HeldReader implements FileReader {
  readonly looks: HeldLook[] = [];
  readonly #awaited = new Map<number, PromiseWithResolvers<HeldLook>>();
  closed = false;
  isShort = false;

  lacksForNow(): boolean {
    return this.isShort;
  }

  async look(): Promise<ReportChanges> {
    const look: HeldLook = Promise.withResolvers();
    this.#awaited.get(this.looks.length)?.resolve(look);
    this.looks.push(look);
    const events = await look.promise;
    return () => events;
  }

  /** The look of this number, counted from 0, once it has begun. */
  begun(index: number): Promise<HeldLook> {
    const awaited = Promise.withResolvers<HeldLook>();
    const look = this.looks[index];
    if (look === undefined) this.#awaited.set(index, awaited);
    else awaited.resolve(look);
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
  all.reader.looks[0]?.resolve([]);
  await all.started;
  return all;
}

function failure(code: string): Error {
  return new MeshError("source-unavailable", "no", { cause: Object.assign(new Error(code), { code }) });
}

describe("a source whose files the system cannot read for now", () => {
  test("looks again after growing pauses, until a look succeeds", async () => {
    const { clock, reader, change, calls, source } = await opened();
    change();
    clock.advance(20);
    (await reader.begun(1)).reject(failure("EMFILE"));
    await source.idle();
    clock.advance(519);
    expect(reader.looks).toHaveLength(2);
    clock.advance(1);
    (await reader.begun(2)).reject(failure("EMFILE"));
    await source.idle();
    clock.advance(519);
    expect(reader.looks).toHaveLength(3);
    clock.advance(501);
    (await reader.begun(3)).resolve([upserted]);
    await source.idle();
    expect(calls.at(-1)).toEqual([{ type: "issues", part: "held", issues: [] }, upserted]);
    clock.advance(100_000);
    expect(reader.looks).toHaveLength(4);
  });

  test("looks again when only some of its files could not be read", async () => {
    const { clock, reader, change, source } = await opened();
    reader.isShort = true;
    change();
    clock.advance(20);
    (await reader.begun(1)).resolve([]);
    await source.idle();
    reader.isShort = false;
    clock.advance(520);
    (await reader.begun(2)).resolve([]);
    await source.idle();
    clock.advance(100_000);
    expect(reader.looks).toHaveLength(3);
  });

  test("does not look again before a change if only a change can help, nor after its end", async () => {
    const { clock, reader, change, source } = await opened();
    change();
    clock.advance(20);
    (await reader.begun(1)).reject(failure("EACCES"));
    await source.idle();
    clock.advance(100_000);
    expect(reader.looks).toHaveLength(2);
    change();
    clock.advance(20);
    (await reader.begun(2)).reject(failure("ENFILE"));
    await source.idle();
    await source.stop();
    clock.advance(100_000);
    expect(reader.looks).toHaveLength(3);
  });
});

describe("a reloading source", () => {
  test("looks once for simultaneous changes", async () => {
    const { clock, reader, change } = await opened();
    change();
    clock.advance(19);
    change();
    clock.advance(19);
    expect(reader.looks).toHaveLength(1);
    clock.advance(1);
    expect(reader.looks).toHaveLength(2);
  });

  test("looks despite changes that never pause", async () => {
    const { clock, reader, change } = await opened();
    for (let ms = 0; ms < 500; ms += 10) {
      change();
      clock.advance(10);
    }
    expect(reader.looks).toHaveLength(2);
  });

  test("never overlaps looks, and repeats a look during which something changed", async () => {
    const { clock, reader, change, source, calls } = await opened();
    change();
    clock.advance(20);
    change();
    clock.advance(1000);
    expect(reader.looks).toHaveLength(2);
    reader.looks[1]?.resolve([deleted]);
    (await reader.begun(2)).resolve([upserted]);
    const idle = settle(source, clock);
    (await reader.begun(3)).resolve([]);
    await idle;
    expect(calls).toEqual([[synced], [upserted]]);
  });

  test("accepts a look in the end, if something changes during each", async () => {
    const { clock, reader, change, source, calls } = await opened();
    change();
    clock.advance(20);
    for (let index = 1; index <= 4; index += 1) {
      const look = await reader.begun(index);
      change();
      look.resolve([index === 4 ? upserted : deleted]);
    }
    const idle = settle(source, clock);
    (await reader.begun(5)).resolve([]);
    await idle;
    expect(calls).toEqual([[synced], [upserted]]);
  });

  test("keeps a change that arrives during the first look", async () => {
    const { reader, change, started, calls } = rig();
    change();
    reader.looks[0]?.resolve([deleted]);
    (await reader.begun(1)).resolve([upserted]);
    await started;
    expect(calls).toEqual([[upserted, synced]]);
  });

  test("keeps a change that arrives during every one of the first looks", async () => {
    const { clock, reader, change, started } = rig();
    for (let index = 0; index < 4; index += 1) {
      const look = await reader.begun(index);
      change();
      look.resolve([]);
    }
    await started;
    clock.advance(20);
    expect(reader.looks).toHaveLength(5);
  });

  test("looks at once on request", async () => {
    const { reader, source, calls } = await opened();
    const reloaded = source.reload();
    (await reader.begun(1)).resolve([deleted]);
    await reloaded;
    expect(calls).toEqual([[synced], [deleted]]);
  });

  test("rejects when the first look fails, and can be started again", async () => {
    const { reader, source, started, calls } = rig();
    reader.looks[0]?.reject(new Error("no such directory"));
    await expect(started).rejects.toThrow("no such directory");
    expect(reader.closed).toBe(true);
    const again = source.start((events) => calls.push(events));
    reader.looks[1]?.resolve([]);
    await again;
    expect(calls).toEqual([[synced]]);
  });

  test("reports a later failure under its own name, until a look succeeds", async () => {
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

  test("has nothing to reload before its first successful look", async () => {
    const { reader, source, started } = rig();
    const reloaded = source.reload();
    reader.looks[0]?.reject(new Error("there is no such directory"));
    await expect(started).rejects.toMatchObject({
      code: "source-unavailable",
      message: "held: there is no such directory",
    });
    await expect(reloaded).resolves.toBeUndefined();
    expect(reader.looks).toHaveLength(1);
  });

  test("drops the result of a look after the stop, and stops only when that look has ended", async () => {
    const { clock, reader, change, source, calls } = await opened();
    change();
    clock.advance(20);
    const order: string[] = [];
    const stopping = source.stop().finally(() => order.push("stopped"));
    await setImmediate();
    order.push("looked");
    reader.looks[1]?.resolve([deleted]);
    await stopping;
    expect(order).toEqual(["looked", "stopped"]);
    change();
    clock.advance(1000);
    expect(calls).toEqual([[synced]]);
    expect(reader.looks).toHaveLength(2);
  });
});
