import { mkdir, rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TempTree } from "../../testing/temp-tree.ts";
import { FileWatch } from "./file-watch.ts";

describe("a watch", () => {
  let tree: TempTree;
  let watch: FileWatch;
  let changes: number;

  beforeEach(async () => {
    tree = await TempTree.create();
    await mkdir(tree.path("mesh"));
    changes = 0;
    watch = new FileWatch(() => changes++);
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

  test("of one entry notices nothing else", async () => {
    watch.visit(tree.directory, "mesh");
    expect(await notices(() => tree.write("other.yaml", "1"))).toBe(false);
    expect(await notices(() => tree.move("mesh", "elsewhere"))).toBe(true);
  });

  test("follows the name when another directory takes it", async () => {
    watch.visit(tree.path("mesh"));
    expect(await notices(() => rm(tree.path("mesh"), { recursive: true }))).toBe(true);
    await mkdir(tree.path("mesh"));
    watch.visit(tree.path("mesh"));
    expect(await notices(() => tree.write("mesh/a.yaml", "1"))).toBe(true);
  });

  test("ends for what was not visited again, and when closed", async () => {
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

  test("of what is not there throws", () => {
    expect(() => watch.visit(tree.path("missing"))).toThrow("ENOENT");
  });
});
