import { describe, expect, test } from "vitest";
import type { Change } from "../collection/collection.ts";
import { Graph } from "../collection/graph.ts";
import type { Config } from "../config/config.ts";
import type { SnapshotGroup } from "../config/kind.ts";
import { fakeConfig } from "../testing/config/fake-config.ts";
import { turns } from "../testing/until.ts";
import { LocalLink } from "./local-link.ts";

function inWords({ type, key }: Change<Config>): string {
  return `${type} ${key}`;
}

/** Galley's side with two collections, Pilot's with an input for each, and all that Pilot's listeners hear. */
function linked() {
  const galley = new Graph();
  const sources = { a: galley.input<Config>("a"), b: galley.input<Config>("b"), unknown: galley.input<Config>("c") };
  const graph = new Graph();
  const a = graph.input<Config>("a");
  const b = graph.input<Config>("b");
  const commits: (readonly string[])[] = [];
  graph.onCommit((commit) => commits.push([a, b].flatMap((input) => commit.changesOf(input).map(inWords))));
  const inputs = new Map([a, b].map((input) => [input.name, input]));
  const staging = { admit: <C>(changes: readonly C[]) => changes };
  const link = new LocalLink({ graph, environment: { inputs }, groups: ["default", "syntheticServiceEntry"], staging });
  const send = (group: SnapshotGroup, ...names: readonly (keyof typeof sources)[]) =>
    link.distribute({
      group,
      collections: new Map(names.map((name) => [name, sources[name].snapshot()])),
      version: () => "",
      resources: () => [],
    });
  return { sources, a, b, commits, link, send };
}

describe("the local link", () => {
  test("makes one commit of a snapshot with all its collections", () => {
    const { sources, a, b, commits, send } = linked();
    sources.a.set("x", fakeConfig({ name: "x" }));
    sources.b.set("y", fakeConfig({ name: "y" }));
    send("default", "a", "b");
    expect(commits).toEqual([["added x", "added y"]]);
    expect([a.synced, b.synced]).toEqual([true, true]);
  });

  test("writes only the difference from the previous snapshot", () => {
    const { sources, commits, send } = linked();
    for (const name of ["w", "x", "y"]) sources.a.set(name, fakeConfig({ name }));
    send("default", "a");
    sources.a.set("x", fakeConfig({ name: "x", version: "2" }));
    sources.a.delete("y");
    sources.a.set("z", fakeConfig({ name: "z" }));
    send("default", "a");
    send("default", "a");
    expect(commits.slice(1)).toEqual([["updated x", "removed y", "added z"]]);
  });

  test("marks a collection synced with the first snapshot of its group, also an empty one", () => {
    const { a, b, send } = linked();
    send("syntheticServiceEntry", "b");
    expect([a.synced, b.synced]).toEqual([false, true]);
  });

  test("leaves out collections without an input in Pilot", () => {
    const { sources, commits, send } = linked();
    sources.unknown.set("x", fakeConfig({ name: "x" }));
    send("default", "unknown");
    expect(commits).toEqual([]);
  });

  test("is complete when every group was published", async () => {
    const { link, send } = linked();
    send("default", "a");
    expect([...link.awaited]).toEqual(["syntheticServiceEntry"]);
    send("syntheticServiceEntry", "b");
    expect(link.awaited.size).toBe(0);
    await link.complete;
  });

  test("is complete with the last group, not before", async () => {
    const { link, send } = linked();
    let complete = false;
    void link.complete.then(() => (complete = true));
    send("default", "a");
    await turns(1);
    expect(complete).toBe(false);
    send("syntheticServiceEntry", "b");
    await turns(1);
    expect(complete).toBe(true);
  });
});
