import { describe, expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingDistributor } from "../../testing/recording/recording-distributor.ts";
import { Snapshotter } from "./snapshotter.ts";
import { debounce, immediate, type Strategy } from "./strategy.ts";

function rig(strategy: Strategy = immediate()) {
  const graph = new Graph();
  const gateways = graph.input<Config>("gateways", { equals: (a, b) => a === b });
  const routes = graph.input<Config>("routes");
  const synthetic = graph.input<Config>("synthetic");
  const other = graph.input<Config>("other");
  const recorded = new RecordingDistributor();
  const errors: unknown[] = [];
  const collections = new Map([
    ["out/gateways", gateways],
    ["out/routes", routes],
  ]);
  const snapshotter = new Snapshotter({
    graph,
    publications: [
      { group: "default", collections, strategy, distributor: recorded },
      {
        group: "syntheticServiceEntry",
        collections: new Map([["out/synthetic", synthetic]]),
        strategy: immediate(),
        distributor: recorded,
      },
    ],
    onError: (error) => errors.push(error),
  });
  const sync = () => graph.batch(() => [gateways, routes].forEach((input) => input.markSynced()));
  return { graph, gateways, routes, synthetic, other, recorded, errors, snapshotter, sync };
}

describe("the snapshotter", () => {
  test("publishes a group once all its collections are synced, and not before", () => {
    const { gateways, routes, recorded, snapshotter } = rig();
    snapshotter.start();
    gateways.set("a", fakeConfig({ name: "a" }));
    gateways.markSynced();
    expect(recorded.snapshots).toEqual([]);
    routes.markSynced();
    expect(recorded.of("default")).toHaveLength(1);
    expect(recorded.keys("default", "out/gateways")).toEqual(["a"]);
    expect(recorded.keys("default", "out/routes")).toEqual([]);
  });

  test("calls its strategy only when one of its own collections changes", () => {
    let asked = 0;
    const strategy: Strategy = { onChange: () => asked++, stop: () => undefined };
    const { routes, other, synthetic, snapshotter, sync } = rig(strategy);
    sync();
    snapshotter.start();
    expect(asked).toBe(1);
    other.set("a", fakeConfig({ name: "a" }));
    synthetic.set("a", fakeConfig({ name: "a" }));
    expect(asked).toBe(1);
    routes.set("a", fakeConfig({ name: "a" }));
    expect(asked).toBe(2);
  });

  test("publishes already synced groups at its start, and not again at the next start", () => {
    const { recorded, snapshotter, sync, routes } = rig();
    sync();
    snapshotter.start();
    snapshotter.start();
    expect(recorded.of("default")).toHaveLength(1);
    snapshotter.stop();
    routes.set("a", fakeConfig({ name: "a" }));
    expect(recorded.of("default")).toHaveLength(1);
    snapshotter.start();
    expect(recorded.of("default")).toHaveLength(2);
    snapshotter.stop();
    snapshotter.start();
    expect(recorded.of("default")).toHaveLength(2);
  });

  test("ignores changes of other groups", () => {
    const { recorded, snapshotter, sync, synthetic, other } = rig();
    snapshotter.start();
    sync();
    other.set("a", fakeConfig({ name: "a" }));
    synthetic.markSynced();
    synthetic.set("a", fakeConfig({ name: "a" }));
    expect(recorded.of("default")).toHaveLength(1);
    expect(recorded.of("syntheticServiceEntry")).toHaveLength(2);
  });

  test("takes all collections of a group at the same instant, and snapshots never change", () => {
    const { graph, gateways, routes, recorded, snapshotter, sync } = rig();
    snapshotter.start();
    sync();
    graph.batch(() => {
      gateways.set("a", fakeConfig({ name: "a" }));
      routes.set("b", fakeConfig({ name: "b" }));
    });
    const [before, after] = recorded.of("default");
    expect(recorded.of("default")).toHaveLength(2);
    expect([...(after?.collections ?? [])].map(([name, view]) => `${name} ${view.size}`)).toEqual([
      "out/gateways 1",
      "out/routes 1",
    ]);
    expect(before?.collections.get("out/gateways")?.size).toBe(0);
    expect(after?.version("out/gateways")).not.toBe(before?.version("out/gateways"));
    expect(after?.version("unheard")).toBe("");
  });

  test("lists the objects of a snapshot by key, in any order of arrival", () => {
    const { gateways, recorded, snapshotter, sync } = rig();
    for (const name of ["c", "a", "b"]) gateways.set(name, fakeConfig({ name }));
    sync();
    snapshotter.start();
    const [snapshot] = recorded.of("default");
    expect(snapshot?.resources("out/gateways").map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(snapshot?.resources("unheard")).toEqual([]);
  });

  test("may be stopped before it was started, and twice", () => {
    const { recorded, snapshotter, sync } = rig(debounce({ clock: new FakeClock() }));
    snapshotter.stop();
    snapshotter.stop();
    snapshotter.start();
    sync();
    expect(recorded.of("default")).toEqual([]);
  });

  test("ignores changes before its start: the initial content leaves once", () => {
    const clock = new FakeClock();
    const { gateways, recorded, snapshotter, sync } = rig(debounce({ clock }));
    sync();
    for (const name of ["a", "b"]) gateways.set(name, fakeConfig({ name }));
    clock.advance(10_000);
    expect(recorded.of("default")).toEqual([]);
    snapshotter.start();
    clock.advance(499);
    expect(recorded.of("default")).toEqual([]);
    clock.advance(1);
    expect(recorded.keys("default", "out/gateways")).toEqual(["a", "b"]);
    clock.advance(10_000);
    expect(recorded.of("default")).toHaveLength(1);
  });

  test("publishes an object that only moved, because readers show its line", () => {
    const { gateways, recorded, snapshotter, sync } = rig();
    gateways.set("a", fakeConfig({ name: "a", line: 1 }));
    sync();
    snapshotter.start();
    gateways.set("a", fakeConfig({ name: "a", line: 2 }));
    expect(recorded.of("default")).toHaveLength(2);
  });

  test("skips a change that was undone", () => {
    const clock = new FakeClock();
    const { gateways, recorded, snapshotter, sync } = rig(debounce({ clock }));
    gateways.set("a", fakeConfig({ name: "a" }));
    sync();
    snapshotter.start();
    clock.advance(500);
    gateways.set("a", fakeConfig({ name: "a", version: "2" }));
    gateways.set("b", fakeConfig({ name: "b" }));
    gateways.set("a", fakeConfig({ name: "a" }));
    gateways.delete("b");
    clock.advance(500);
    expect(recorded.of("default")).toHaveLength(1);
  });

  test("drops pending snapshots when stopped", () => {
    const clock = new FakeClock();
    const { recorded, snapshotter, sync } = rig(debounce({ clock }));
    snapshotter.start();
    sync();
    snapshotter.stop();
    clock.advance(10_000);
    expect(recorded.of("default")).toEqual([]);
  });

  test("reports the error of a distributor, and offers it the next snapshot", () => {
    const { graph, gateways, errors, recorded, sync } = rig();
    let failing = true;
    const distributor = {
      distribute: (snapshot: Parameters<RecordingDistributor["distribute"]>[0]) => {
        if (failing) throw new Error("cannot");
        recorded.distribute(snapshot);
      },
    };
    const collections = new Map([["out/gateways", gateways]]);
    const publications = [{ group: "default", collections, strategy: immediate(), distributor }] as const;
    new Snapshotter({ graph, publications, onError: (error) => errors.push(error) }).start();
    sync();
    expect(errors).toEqual([new Error("cannot")]);
    failing = false;
    gateways.set("a", fakeConfig({ name: "a" }));
    expect(recorded.of("default")).toHaveLength(1);
  });
});
