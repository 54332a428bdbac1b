import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TempTree } from "../../../testing/temp-tree.ts";
import { PathResolver } from "./path-resolver.ts";

describe("the way to a path", () => {
  let tree: TempTree;

  beforeEach(async () => {
    tree = await TempTree.create();
  });

  afterEach(() => tree.close());

  /** The steps below the directory of the test, as `directory > entry`. */
  async function stepsTo(path: string): Promise<readonly string[]> {
    const steps = await new PathResolver().to(tree.path(path));
    const below = steps.filter(({ directory }) => directory.startsWith(tree.directory));
    return below.map(({ directory, entry }) => `${directory.slice(tree.directory.length + 1)} > ${entry}`);
  }

  test("starts at the root and contains every folder", async () => {
    await tree.write("a/b/c.yaml", "");
    const [first] = await new PathResolver().to(tree.path("a/b/c.yaml"));
    expect(first?.directory).toBe("/");
    expect(await stepsTo("a/b/c.yaml")).toEqual([" > a", "a > b", "a/b > c.yaml"]);
  });

  test("goes through links, relative and absolute, to files and to folders", async () => {
    await tree.write("versions/two/c.yaml", "");
    await tree.link("versions/current", "two");
    await tree.link("mesh/c.yaml", "../versions/./current/c.yaml");
    await tree.link("far", tree.path("mesh"));
    expect(await stepsTo("far/c.yaml")).toEqual([
      " > far",
      " > mesh",
      "mesh > c.yaml",
      " > versions",
      "versions > current",
      "versions > two",
      "versions/two > c.yaml",
    ]);
  });

  test("continues through missing names as if they existed", async () => {
    expect(await stepsTo("a/b.yaml")).toEqual([" > a", "a > b.yaml"]);
  });

  test("ends despite a link loop", async () => {
    await tree.link("a", "b");
    await tree.link("b", "a");
    expect(await stepsTo("a")).toHaveLength(40);
  });
});
