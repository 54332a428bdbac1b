import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import type { EtcdEntry, EtcdPosition } from "../../../etcd/etcd-values.ts";
import type { EtcdWatch, WatchStep } from "../../../etcd/etcd-watch.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import type { EtcdMember, EtcdPage } from "./etcd-member.ts";
import { createEtcdSource } from "./etcd-source.ts";

const folder = "/mesh/networking.istio.io/serviceentries/shop";

function entry(name: string, revision: number): EtcdEntry {
  const spec = { hosts: [`${name}.shop`], ports: [{ number: 80, name: "http", protocol: "HTTP" }], resolution: "DNS" };
  const object = {
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: { name, namespace: "shop" },
    spec,
  };
  return { key: `${folder}/${name}`, value: Buffer.from(JSON.stringify(object)), revision, since: revision };
}

function put(name: string, revision: number): WatchStep {
  return { type: "changes", changes: [{ type: "put", ...entry(name, revision) }] };
}

/** A watch that says what it is told to. */
class ToldWatch implements EtcdWatch {
  readonly #steps: WatchStep[] = [];
  #next = Promise.withResolvers<void>();
  #failure: Error | undefined;

  emit(...steps: readonly WatchStep[]): Promise<void> {
    this.#steps.push(...steps);
    this.#next.resolve();
    return settled();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchStep> {
    for (;;) {
      const step = this.#steps.shift();
      if (step !== undefined) yield step;
      else if (this.#failure !== undefined) throw this.#failure;
      else await this.#next.promise.then(() => (this.#next = Promise.withResolvers()));
    }
  }

  askProgress(): void {}

  fail(reason: Error): void {
    this.#failure = reason;
    this.#next.resolve();
  }

  [Symbol.dispose](): void {}
}

/** A member that holds these pages at this revision; where a page should be, an error may be. */
class ToldMember implements EtcdMember {
  readonly watches: { readonly from: number; readonly watch: ToldWatch }[] = [];
  readonly #pages: readonly (readonly EtcdEntry[] | Error)[];
  /** Where it says to be. */
  revision: number;
  /** The value of every key at an earlier revision. Default: that of the pages. */
  known: EtcdEntry | undefined;

  constructor(revision: number, ...pages: readonly (readonly EtcdEntry[] | Error)[]) {
    this.revision = revision;
    this.#pages = pages;
  }

  position(): Promise<EtcdPosition> {
    return Promise.resolve({ cluster: "one", revision: this.revision });
  }

  read(key: string): Promise<EtcdEntry | undefined> {
    const entries = this.#pages.flatMap((page) => (page instanceof Error ? [] : page));
    return Promise.resolve(this.known ?? entries.find((each) => each.key === key));
  }

  async *pages(): AsyncGenerator<EtcdPage> {
    for (const page of this.#pages) {
      if (page instanceof Error) throw page;
      yield { entries: page, position: await this.position() };
    }
  }

  watch(from: number): Promise<EtcdWatch> {
    const watch = new ToldWatch();
    this.watches.push({ from, watch });
    return Promise.resolve(watch);
  }

  [Symbol.dispose](): void {}
}

/** A source that meets these members one after the other, and the last again and again. */
async function following(
  members: readonly (ToldMember | Error)[],
  hosts = 1,
  more: { readonly maxKeys?: number } = {},
) {
  const clock = new FakeClock();
  const heard = new SourceRecorder();
  let met = 0;
  const connect = () => {
    const member = members[Math.min(met++, members.length - 1)];
    return member instanceof ToldMember ? Promise.resolve(member) : Promise.reject(member ?? new Error("nobody"));
  };
  const options = { name: "etcd", prefix: "/mesh", kinds, clock, heartbeatMs: 1_000, ...more };
  const source = createEtcdSource({ ...options, members: Array.from({ length: hosts }, () => connect) });
  await source.start(heard.handler);
  await settled();
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
    await settled();
  };
  const health = () =>
    heard.events.flatMap((event) =>
      event.type === "stale" ? [event.reason] : event.type === "fresh" ? ["fresh"] : [],
    );
  return { source, heard, health, pass, met: () => met };
}

const created = (revision: number, cluster = "one"): WatchStep => ({
  type: "created",
  position: { cluster, revision },
});

describe("a source in etcd", () => {
  test("reports nothing of an interrupted full read, and all of the next one at once", async () => {
    const broken = new ToldMember(5, [entry("a", 1)], new Error("cut"));
    const { heard, pass } = await following([broken, new ToldMember(6, [entry("a", 1), entry("b", 6)])]);
    expect(heard.names).toEqual([]);
    await pass(100);
    expect(heard.calls.map((events) => events.filter(({ type }) => type === "upserted").length)).toEqual([0, 2]);
  });

  test("resumes after the last reported change or progress", async () => {
    const member = new ToldMember(5, [entry("a", 1)]);
    const { pass } = await following([member]);
    const [first] = member.watches;
    await first?.watch.emit(created(5), put("b", 7));
    member.known = entry("b", 7);
    first?.watch.fail(new Error("cut"));
    await pass(0);
    const [, second] = member.watches;
    await second?.watch.emit(created(9), { type: "progress", revision: 9 });
    second?.watch.fail(new Error("cut"));
    await pass(0);
    expect(member.watches.map(({ from }) => from)).toEqual([6, 8, 10]);
  });

  test("is fresh only after it received the missed changes", async () => {
    const member = new ToldMember(5, [entry("a", 1)]);
    const { health, pass } = await following([member]);
    member.watches[0]?.watch.fail(new Error("cut"));
    await pass(0);
    const watch = member.watches[1]?.watch;
    await watch?.emit(created(8), put("b", 6));
    expect(health()).toEqual(["cut"]);
    await watch?.emit(put("c", 8));
    expect(health()).toEqual(["cut", "fresh"]);
  });

  test.each([
    ["has gone back", created(3)],
    ["is another one", created(9, "two")],
    ["has forgotten what came after", { type: "compacted" } as const],
  ])("reads everything again from a store that %s", async (_what, step) => {
    const before = new ToldMember(5, [entry("a", 1), entry("b", 2)]);
    const after = new ToldMember(4, [entry("b", 2), entry("c", 4)]);
    const { heard, pass } = await following([before, after]);
    before.watches[0]?.watch.fail(new Error("cut"));
    await pass(0);
    const spoken = heard.calls.length;
    await after.watches[0]?.watch.emit(step);
    const said = heard.calls.slice(spoken).flat();
    expect(said.map(({ type }) => type)).toEqual(["upserted", "deleted", "fresh"]);
    expect(heard.names).toEqual(["b", "c"]);
    expect(after.watches.map(({ from }) => from)).toEqual([6, 5]);
  });

  test.each([
    ["differs", { ...entry("b", 2), value: entry("c", 2).value }],
    ["is older", entry("b", 1)],
    ["cannot be shown", undefined],
  ])("reads everything again from a restored store where the last object %s", async (_what, known) => {
    const before = new ToldMember(5, [entry("a", 1), entry("b", 2)]);
    const after = new ToldMember(9, known === undefined ? [entry("a", 1)] : [entry("a", 1), known]);
    const { pass } = await following([before, after]);
    before.watches[0]?.watch.fail(new Error("cut"));
    await pass(0);
    expect(after.watches.map(({ from }) => from)).toEqual([10]);
  });

  test("keeps its objects when a store lists none of them, until the store has done so for half a minute", async () => {
    const before = new ToldMember(5, [entry("a", 1), entry("b", 2)]);
    const { heard, health, pass } = await following([before, new ToldMember(1, [])]);
    before.watches[0]?.watch.fail(new Error("cut"));
    for (let ms = 0; ms < 29_000; ms += 1_000) await pass(1_000);
    expect(heard.names).toEqual(["a", "b"]);
    expect(health()).toEqual(["cut", "the store lists none of the 2 objects that it had; they stay in use for 30 s"]);
    for (let ms = 0; ms < 12_000; ms += 1_000) await pass(1_000);
    expect(heard.names).toEqual([]);
    expect(health().at(-1)).toBe("fresh");
  });

  test("tries the other members at once, and pauses longer each time when all have failed", async () => {
    const { met, pass, health } = await following([new Error("down")], 3);
    await pass(0);
    expect(met()).toBe(3);
    await pass(99);
    expect(met()).toBe(3);
    await pass(1);
    expect(met()).toBe(6);
    await pass(199);
    expect(met()).toBe(6);
    await pass(1);
    expect(met()).toBe(9);
    expect(health()).toEqual(["down"]);
  });

  test("stops at the key limit, keeps its objects, and recovers when there are fewer keys", async () => {
    const many = new ToldMember(5, [entry("a", 1), entry("b", 2)]);
    const fewer = new ToldMember(9, [entry("b", 2), entry("c", 6)]);
    const { heard, health, pass } = await following([many, new Error("down"), fewer], 1, { maxKeys: 2 });
    const watch = many.watches[0]?.watch;
    await watch?.emit(created(5), {
      type: "changes",
      changes: [
        { type: "put", ...entry("c", 6) },
        { type: "put", ...entry("a", 6) },
      ],
    });
    expect(heard.names).toEqual(["a", "b"]);
    expect(health()).toEqual(["the content of etcd below the prefix exceeds the limit of 2 keys: 3 came", "down"]);
    await pass(100);
    expect(heard.names).toEqual(["b", "c"]);
    expect(health().at(-1)).toBe("fresh");
  });

  test("drops a member that no longer confirms progress", async () => {
    const member = new ToldMember(7, [entry("a", 1)]);
    const { health, pass } = await following([member]);
    await member.watches[0]?.watch.emit(created(7));
    member.revision = 9;
    await pass(1_000);
    await pass(1_000);
    expect(health()).toEqual(["no response for 1000 ms"]);
  });
});
