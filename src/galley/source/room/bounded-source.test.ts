import { beforeEach, describe, expect, test } from "vitest";
import { configOf } from "../../../testing/config/fake-config.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { MemorySource } from "../memory-source.ts";
import { BoundedSource } from "./bounded-source.ts";
import { Ledger } from "./ledger.ts";
import { typicalBytes } from "./object-bytes.ts";
import { Room } from "./room.ts";

const routes = "routes";
const policies = "policies";

/** An object without lists, which takes `typicalBytes`. */
function object(name: string, spec: object = {}) {
  return configOf("Gateway", name, spec);
}

// The rest of the contract is in test/conformance/memory-source.test.ts.
describe("a source with room for three objects, and a reserve for one more", () => {
  let clock: FakeClock;
  let heard: SourceRecorder;
  let memory: MemorySource;
  let source: BoundedSource;
  let ledger: Ledger;
  let isScarce: boolean;

  beforeEach(() => {
    clock = new FakeClock();
    heard = new SourceRecorder();
    isScarce = false;
    memory = new MemorySource({ name: "memory", collections: [routes, policies] });
    const room = new Room({ objectBytes: 3 * typicalBytes, totalBytes: 4 * typicalBytes }, () => isScarce);
    ledger = new Ledger({ room, isEssential: (collection) => collection === policies });
    source = new BoundedSource(memory, { clock, ledger });
  });

  function add(...names: readonly string[]): void {
    memory.batch(() => names.forEach((name) => memory.set(routes, object(name))));
  }

  /** The last reason of a stale source; undefined while it is fresh. */
  function reason(): string | undefined {
    const last = heard.events.findLast(({ type }) => type === "stale" || type === "fresh");
    return last?.type === "stale" ? last.reason : undefined;
  }

  async function pass(ms: number): Promise<void> {
    for (let at = 0; at < ms; at += 1_000) {
      clock.advance(1_000);
      await source.idle();
    }
  }

  test("leaves out the others, and says how many", async () => {
    add("a", "b", "c", "d", "e");
    await source.start(heard.handler);
    expect(heard.names).toEqual(["a", "b", "c"]);
    expect(reason()).toMatch(/^2 objects are left out, because new objects do not fit into memory;/u);
    expect(ledger.leftOut).toBe(2);
  });

  test("is not stale while all objects fit", async () => {
    add("a", "b", "c");
    await source.start(heard.handler);
    expect(reason()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  test("takes in the rest when known objects are removed", async () => {
    add("a", "b", "c", "d", "e");
    await source.start(heard.handler);
    memory.delete(routes, "shop/a");
    memory.delete(routes, "shop/b");
    expect(heard.names).toEqual(["c"]);
    await pass(6_000);
    expect(heard.names).toEqual(["c", "d", "e"]);
    expect(reason()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  test("does not read again while there is no room", async () => {
    add("a", "b", "c", "d");
    await source.start(heard.handler);
    await pass(60_000);
    expect(heard.events.filter(({ type }) => type === "reset")).toEqual([]);
  });

  test("follows changes and removals of known objects, and forgets removed objects that were left out", async () => {
    add("a", "b", "c", "d");
    await source.start(heard.handler);
    memory.set(routes, object("a", { changed: true }));
    expect(heard.config(routes, "shop/a")?.spec).toEqual({ changed: true });
    memory.delete(routes, "shop/d");
    await pass(1_000);
    expect(reason()).toBeUndefined();
  });

  test("lets a policy in although a route is left out", async () => {
    add("a", "b", "c", "d");
    await source.start(heard.handler);
    memory.set(policies, object("deny"));
    expect(heard.names).toEqual(["a", "b", "c", "deny"]);
    add("e");
    expect(heard.names).toEqual(["a", "b", "c", "deny"]);
  });

  test("stops following its origin when a policy does not fit, and keeps the last state", async () => {
    add("a", "b", "c");
    memory.set(policies, object("deny"));
    await source.start(heard.handler);
    memory.batch(() => {
      memory.delete(routes, "shop/a");
      memory.set(policies, object("large", { rules: [{}, {}, {}, {}] }));
    });
    expect(heard.names).toEqual(["a", "b", "c", "deny"]);
    expect(reason()).toMatch(/^not followed, because Gateway shop\/large does not fit into memory/u);
    memory.delete(policies, "shop/large");
    await pass(6_000);
    expect(heard.names).toEqual(["b", "c", "deny"]);
    expect(reason()).toBeUndefined();
  });

  test("is never complete while a policy of the start does not fit", async () => {
    memory.set(policies, object("large", { rules: Array.from({ length: 30 }, () => ({})) }));
    await source.start(heard.handler);
    expect(heard.events.filter(({ type }) => type === "fullSync")).toEqual([]);
    expect(reason()).toMatch(/large does not fit/u);
  });

  test("takes no new objects while measured memory is scarce, and takes them in later", async () => {
    isScarce = true;
    add("a");
    await source.start(heard.handler);
    expect(heard.names).toEqual([]);
    isScarce = false;
    await pass(6_000);
    expect(heard.names).toEqual(["a"]);
  });

  test("reports a growing number of objects at most every ten seconds", async () => {
    add("a", "b", "c", "d");
    await source.start(heard.handler);
    for (let index = 0; index < 25; index += 1) {
      add(`late-${index}`);
      await pass(1_000);
    }
    expect(heard.events.filter(({ type }) => type === "stale")).toHaveLength(3);
    expect(ledger.leftOut).toBe(26);
  });

  test("keeps the reason of a source that lost its origin, and adds its own", async () => {
    add("a", "b", "c", "d");
    const { name, collections } = memory;
    const lost = {
      name,
      collections,
      start: (handler: typeof heard.handler) =>
        memory.start((events) => handler([...events, { type: "stale", reason: "no answer" }])),
      stop: () => memory.stop(),
      idle: () => memory.idle(),
    };
    await new BoundedSource(lost, { clock, ledger }).start(heard.handler);
    expect(reason()).toMatch(/^no answer; 1 object is left out/u);
  });

  test("gives its room back when it stops", async () => {
    add("a", "b", "c");
    await source.start(heard.handler);
    await source.stop();
    expect(ledger.fits(object("x"), 2 * typicalBytes)).toBe(true);
  });
});
