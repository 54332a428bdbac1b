import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { FakeZooKeeper } from "../../../testing/server/fake-zookeeper.ts";
import { dialects } from "../../../testing/server/zookeeper-history.ts";
import { ZooKeeperRig } from "../../../testing/server/zookeeper-rig.ts";
import type { ZooKeeperOptions } from "./zookeeper-source.ts";

let rig: ZooKeeperRig;
afterEach(() => rig.source.stop());

describe.each([
  { watch: "the whole tree", recursive: true },
  { watch: "each node", recursive: false },
])("with a watch of $watch:", ({ recursive }) => {
  function newRig(options: Partial<ZooKeeperOptions> = {}): ZooKeeperRig {
    return new ZooKeeperRig({ recursive, ...options });
  }

  describe("the initial state", () => {
    test("is reported in one list after all interfaces have been read", async () => {
      rig = newRig();
      for (const name of ["one", "two", "three"]) rig.register(name, 1);
      await rig.source.start(rig.heard.handler);
      rig.world.connect();
      while (rig.heard.calls.length === 0) {
        expect(rig.syncs).toBe(0);
        rig.world.deliver(1);
        await setImmediate();
      }
      expect(rig.heard.calls).toHaveLength(1);
      expect(rig.heard.names).toEqual(["one", "three", "two"]);
      expect(rig.syncs).toBe(1);
    });

    test("is empty without a root, and the source waits for the root", async () => {
      rig = newRig();
      await rig.start();
      expect([rig.syncs, rig.heard.names]).toEqual([1, []]);
      rig.register("cart", 1);
      await rig.arrive();
      expect(rig.endpoints("cart")).toEqual(["10.0.0.1"]);
      expect(rig.syncs).toBe(1);
    });

    test("does not wait for an unreadable interface, which has an issue until it is readable", async () => {
      rig = newRig();
      rig.register("cart", 1);
      rig.register("secret", 2);
      rig.world.forbidden.add("/dubbo/secret/providers");
      await rig.start();
      expect([rig.syncs, rig.heard.names]).toEqual([1, ["cart"]]);
      expect(rig.heard.allIssues).toMatchObject([{ code: "unreadable", message: expect.stringContaining("NO_AUTH") }]);
      rig.world.forbidden.clear();
      rig.clock.advance(500);
      await rig.arrive();
      expect(rig.endpoints("secret")).toEqual(["10.0.0.2"]);
      expect(rig.heard.allIssues).toEqual([]);
    });

    test("is not reported while the root is unreadable, because that is no empty registry", async () => {
      rig = newRig();
      rig.register("cart", 1);
      rig.world.forbidden.add("/dubbo");
      await rig.start();
      expect([rig.syncs, rig.health]).toEqual([0, ["stale: /dubbo cannot be listed: NO_AUTH"]]);
      rig.world.forbidden.clear();
      rig.clock.advance(500);
      await rig.arrive();
      expect([rig.syncs, rig.health.at(-1), rig.heard.names]).toEqual([1, "fresh", ["cart"]]);
    });
  });

  describe("an interface", () => {
    test("without providers keeps its service without endpoints, and disappears a day later", async () => {
      rig = newRig();
      rig.register("cart", 1);
      await rig.start();
      rig.leave("cart", 1);
      await rig.arrive();
      expect(rig.endpoints("cart")).toEqual([]);
      rig.world.delete("/dubbo/cart");
      await rig.arrive();
      expect(rig.endpoints("cart")).toEqual([]);
      for (let hour = 0; hour < 25; hour += 1) {
        rig.clock.advance(3_600_000);
        rig.world.connect();
        await rig.arrive();
      }
      expect(rig.endpoints("cart")).toBeUndefined();
    });

    test("that is gone may be deleted at once, or keep its endpoints", async () => {
      for (const [options, expected] of [
        [{ deleteMode: "delete" }, undefined],
        [{ emptyProtection: true }, ["10.0.0.1"]],
      ] as const) {
        rig = newRig(options);
        rig.register("cart", 1);
        await rig.start();
        rig.world.delete("/dubbo/cart");
        await rig.arrive();
        expect(rig.endpoints("cart")).toEqual(expected);
        await rig.source.stop();
      }
    });

    test("that becomes unreadable keeps its last content", async () => {
      rig = newRig();
      rig.register("cart", 1);
      await rig.start();
      rig.world.forbidden.add("/dubbo/cart/providers");
      rig.leave("cart", 1);
      await rig.arrive();
      expect(rig.endpoints("cart")).toEqual(["10.0.0.1"]);
    });

    test("may be read some time after a change, together with all changes meanwhile", async () => {
      rig = newRig({ debounceMs: 100 });
      rig.register("cart", 1);
      await rig.start();
      const before = rig.heard.calls.length;
      for (const host of [2, 3, 4]) {
        rig.register("cart", host);
        await rig.arrive();
        rig.clock.advance(33);
      }
      expect(rig.heard.calls).toHaveLength(before);
      rig.clock.advance(1);
      await rig.arrive();
      expect(rig.heard.calls).toHaveLength(before + 1);
      expect(rig.endpoints("cart")).toHaveLength(4);
    });
  });

  describe("a connection", () => {
    test("that is lost for less than a second per server plus one is no failure", async () => {
      rig = newRig();
      rig.register("cart", 1);
      await rig.start();
      rig.world.disconnect();
      rig.register("cart", 2);
      rig.clock.advance(3_999);
      rig.world.connect();
      await rig.arrive();
      expect([rig.endpoints("cart"), rig.health]).toEqual([["10.0.0.1", "10.0.0.2"], []]);
    });

    test("that does not return is reported once; the objects stay, and new clients keep trying", async () => {
      rig = newRig();
      for (const host of [1, 2]) rig.register("cart", host);
      await rig.start();
      rig.world.disconnect();
      rig.clock.advance(20_000);
      expect([rig.endpoints("cart"), rig.health, rig.world.sessions]).toEqual([
        ["10.0.0.1", "10.0.0.2"],
        ["stale: no server answers"],
        1,
      ]);
      rig.leave("cart", 1);
      rig.world.connect();
      await rig.arrive();
      expect([rig.endpoints("cart"), rig.health.at(-1)]).toEqual([["10.0.0.2"], "fresh"]);
    });

    test("to an ensemble without any instance changes nothing for half a minute", async () => {
      rig = newRig();
      for (const name of ["cart", "pay"]) rig.register(name, 1);
      await rig.start();
      rig.world.disconnect();
      rig.world.delete("/dubbo");
      rig.world.connect();
      await rig.arrive();
      rig.clock.advance(29_999);
      expect([rig.endpoints("cart"), rig.endpoints("pay"), rig.health]).toEqual([
        ["10.0.0.1"],
        ["10.0.0.1"],
        [
          "stale: the registry lists 0 of the 2 instances that it had; services with fewer instances keep theirs for 30 s",
        ],
      ]);
      rig.clock.advance(1);
      expect([rig.endpoints("cart"), rig.endpoints("pay"), rig.health.at(-1)]).toEqual([[], [], "fresh"]);
    });

    test("to an ensemble whose providers register again reports the providers, never fewer", async () => {
      rig = newRig();
      const providers = ["cart", "pay"].flatMap((name) => [1, 2].map((index) => ({ name, index })));
      for (const { name, index } of providers) rig.register(name, index);
      await rig.start();
      const before = rig.heard.events.length;
      rig.world.disconnect();
      rig.world.delete("/dubbo");
      rig.world.connect();
      await rig.arrive();
      for (const { name, index } of providers) {
        rig.register(name, index);
        await rig.arrive();
      }
      const said = rig.heard.events.slice(before).map(({ type }) => type);
      expect([said, rig.endpoints("cart")]).toEqual([
        ["stale", "fresh"],
        ["10.0.0.1", "10.0.0.2"],
      ]);
    });

    test("that never succeeds is reported, without unread content", async () => {
      rig = newRig();
      await rig.source.start(rig.heard.handler);
      rig.clock.advance(4_000);
      expect([rig.health, rig.syncs]).toEqual([["stale: no server answers"], 0]);
      rig.world.connect();
      await rig.arrive();
      expect([rig.health.at(-1), rig.syncs]).toEqual(["fresh", 1]);
    });

    test("that stays silent is noticed before the session expires", async () => {
      rig = newRig();
      rig.register("cart", 1);
      await rig.start();
      rig.clock.advance(20_000);
      rig.clock.advance(20_000);
      expect(rig.health).toEqual(["stale: the server is connected, but does not respond"]);
      rig.world.connect();
      await rig.arrive();
      expect(rig.health.at(-1)).toBe("fresh");
    });

    test("of an expired session is replaced at once, and only changes are reported", async () => {
      rig = newRig();
      for (const name of ["cart", "pay"]) rig.register(name, 1);
      await rig.start();
      const before = rig.heard.events.length;
      rig.world.expire();
      rig.register("pay", 2);
      rig.world.connect();
      await rig.arrive();
      const said = rig.heard.events.slice(before);
      expect(said).toMatchObject([{ type: "upserted", config: { name: "pay" } }]);
    });
  });

  test("a recreated ensemble is accepted after each server was tried", async () => {
    rig = newRig();
    for (const host of [1, 2, 3]) rig.register("cart", host);
    await rig.start();
    rig.world.wipe();
    rig.register("cart", 9);
    for (let turn = 0; turn < 4; turn += 1) {
      rig.world.connect();
      await rig.arrive();
      expect(rig.endpoints("cart")).toHaveLength(3);
      rig.clock.advance(4_000);
    }
    rig.world.connect();
    await rig.arrive();
    expect([rig.endpoints("cart"), rig.health]).toEqual([["10.0.0.9"], ["stale: no server answers", "fresh"]]);
  });

  describe("a registry that is polled", () => {
    test("is read completely each time, and only changes are reported", async () => {
      rig = newRig({ mode: "polling", refreshMs: 10_000 });
      rig.register("cart", 1);
      await rig.start();
      rig.register("cart", 2);
      rig.register("pay", 3);
      await rig.arrive();
      expect(rig.heard.names).toEqual(["cart"]);
      rig.clock.advance(10_000);
      await rig.arrive();
      expect([rig.endpoints("cart"), rig.endpoints("pay")]).toEqual([["10.0.0.1", "10.0.0.2"], ["10.0.0.3"]]);
    });

    test("deletes nothing when it cannot be read", async () => {
      rig = newRig({ mode: "polling", refreshMs: 10_000 });
      rig.register("cart", 1);
      await rig.start();
      rig.world.delete("/dubbo/cart");
      rig.world.forbidden.add("/dubbo");
      rig.world.forbidden.add("/dubbo/cart/providers");
      rig.clock.advance(10_000);
      await rig.arrive();
      expect(rig.endpoints("cart")).toEqual(["10.0.0.1"]);
    });
  });

  test("a watched registry may also be read completely, regularly or on request", async () => {
    rig = newRig({ refreshMs: 60_000 });
    rig.register("cart", 1);
    await rig.start();
    rig.clock.advance(10_000);
    const reloaded = rig.source.reload();
    await rig.arrive();
    await reloaded;
    expect(rig.endpoints("cart")).toEqual(["10.0.0.1"]);
  });
});

test("a server that cannot watch trees is followed by watches of nodes", async () => {
  rig = new ZooKeeperRig({}, new FakeZooKeeper({ isOld: true }));
  rig.register("cart", 1);
  await rig.start();
  expect(rig.syncs).toBe(0);
  // It closed the connection when it was asked.
  rig.world.connect();
  await rig.arrive();
  expect([rig.syncs, rig.endpoints("cart"), rig.health]).toEqual([1, ["10.0.0.1"], []]);
  rig.register("cart", 2);
  await rig.arrive();
  expect(rig.endpoints("cart")).toEqual(["10.0.0.1", "10.0.0.2"]);
});

describe("a change of one provider", () => {
  test.each([
    { recursive: true, reads: 0 },
    { recursive: false, reads: 2 },
  ])(
    "costs $reads reads and one object, whatever else is registered (one watch of the tree: $recursive)",
    async ({ recursive, reads }) => {
      rig = new ZooKeeperRig({ recursive });
      for (let service = 0; service < 20; service += 1) {
        for (const host of [1, 2, 3]) rig.register(`s${service}`, host);
      }
      await rig.start();
      const before = { reads: rig.world.reads, events: rig.heard.events.length };
      rig.register("s7", 4);
      await rig.arrive();
      rig.leave("s7", 1);
      await rig.arrive();
      expect(rig.endpoints("s7")).toEqual(["10.0.0.2", "10.0.0.3", "10.0.0.4"]);
      expect(rig.world.reads - before.reads).toBe(reads);
      expect(rig.heard.events.slice(before.events)).toMatchObject([
        { type: "upserted", config: { name: "s7" } },
        { type: "upserted", config: { name: "s7" } },
      ]);
    },
  );

  test("of Curator's costs one read, of its data", async () => {
    const { layout, instance } = dialects.curator;
    rig = new ZooKeeperRig({ layout, root: "/registry" });
    for (const host of [1, 2, 3]) rig.world.put(...instance(0, host));
    await rig.start();
    const before = rig.world.reads;
    rig.world.put(...instance(0, 4));
    await rig.arrive();
    expect(rig.world.reads - before).toBe(1);
    rig.world.delete(instance(0, 4)[0]);
    await rig.arrive();
    expect(rig.world.reads - before).toBe(1);
  });
});
