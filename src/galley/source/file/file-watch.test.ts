import { mkdir, rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { TempTree } from "../../../testing/temp-tree.ts";
import { FileWatch } from "./file-watch.ts";

describe("a watch", () => {
  let tree: TempTree;
  let watch: FileWatch;
  let clock: FakeClock;
  let changes: number;

  beforeEach(async () => {
    tree = await TempTree.create();
    await mkdir(tree.path("mesh"));
    changes = 0;
    clock = new FakeClock();
    watch = new FileWatch({ clock, onChange: () => changes++ });
  });

  afterEach(async () => {
    watch.close();
    await tree.close();
  });

  /** Whether the watch noticed what `work` did. */
  async function notices(work: () => Promise<void>): Promise<boolean> {
    await tree.noticed();
    changes = 0;
    await work();
    await tree.noticed();
    return changes > 0;
  }

  test("notices files that are written, replaced, renamed and deleted", async () => {
    watch.visit(tree.path("mesh"));
    expect(await notices(() => tree.write("mesh/a.yaml", "1"))).toBe(true);
    expect(await notices(() => tree.write("mesh/a.yaml", "2"))).toBe(true);
    expect(await notices(() => tree.replace("mesh/a.yaml", "3"))).toBe(true);
    expect(await notices(() => tree.move("mesh/a.yaml", "mesh/b.yaml"))).toBe(true);
    expect(await notices(() => tree.remove("mesh/b.yaml"))).toBe(true);
  });

  test("of a path notices only changes of its target", async () => {
    await tree.write("versions/one/a.yaml", "1");
    await tree.write("versions/two/a.yaml", "2");
    await tree.link("versions/current", "one");
    await tree.link("mesh/a.yaml", "../versions/current/a.yaml");
    const follow = async (): Promise<void> => {
      await watch.follow(tree.path("mesh/a.yaml"));
      watch.sweep();
    };
    await follow();
    expect(await notices(() => tree.write("versions/other", "1"))).toBe(false);
    expect(await notices(() => tree.write("mesh/other", "1"))).toBe(false);
    expect(await notices(() => tree.write("versions/two/a.yaml", "3"))).toBe(false);
    expect(await notices(() => tree.write("versions/one/a.yaml", "3"))).toBe(true);
    expect(await notices(() => tree.link("versions/current", "two"))).toBe(true);
    await follow();
    expect(await notices(() => tree.write("versions/one/a.yaml", "4"))).toBe(false);
    expect(await notices(() => tree.write("versions/two/a.yaml", "4"))).toBe(true);
    expect(await notices(() => tree.move("versions", "elsewhere"))).toBe(true);
    await follow();
    expect(await notices(() => tree.move("elsewhere", "versions"))).toBe(true);
  });

  test("follows the name when another directory takes it", async () => {
    watch.visit(tree.path("mesh"));
    expect(await notices(() => rm(tree.path("mesh"), { recursive: true }))).toBe(true);
    await mkdir(tree.path("mesh"));
    watch.visit(tree.path("mesh"));
    expect(await notices(() => tree.write("mesh/a.yaml", "1"))).toBe(true);
  });

  test("ends for directories that were not visited again, and on close", async () => {
    await mkdir(tree.path("more"));
    watch.visit(tree.path("mesh"));
    watch.visit(tree.path("more"));
    watch.sweep();
    watch.visit(tree.path("more"));
    watch.sweep();
    expect(await notices(() => tree.write("mesh/a.yaml", "1"))).toBe(false);
    expect(await notices(() => tree.write("more/a.yaml", "1"))).toBe(true);
    watch.close();
    expect(await notices(() => tree.write("more/a.yaml", "2"))).toBe(false);
  });

  test("opens nothing after a close, because nothing would close it", async () => {
    watch.close();
    watch.visit(tree.path("mesh"));
    watch.sweep();
    expect(await notices(() => tree.write("mesh/a.yaml", "1"))).toBe(false);
  });

  test("of a missing directory throws", () => {
    expect(() => watch.visit(tree.path("missing"))).toThrow("ENOENT");
  });

  test("assumes a change regularly where the system reports none", async () => {
    watch.close();
    watch = new FileWatch({ clock, onChange: () => changes++, notifies: (path) => path !== tree.path("mesh") });
    watch.visit(tree.path("mesh"));
    watch.sweep();
    expect(await notices(() => tree.write("mesh/a.yaml", "1"))).toBe(false);
    clock.advance(2000);
    expect(changes).toBe(1);
    watch.visit(tree.path("mesh"));
    watch.sweep();
    clock.advance(2000);
    expect(changes).toBe(2);
    watch.visit(tree.directory);
    watch.sweep();
    expect(clock.pending).toBe(0);
  });
});
