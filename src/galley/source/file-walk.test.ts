import { mkdir, symlink } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TempTree } from "../../testing/temp-tree.ts";
import { walkYaml } from "./file-walk.ts";

describe("a walk", () => {
  let tree: TempTree;

  beforeEach(async () => {
    tree = await TempTree.create();
  });

  afterEach(() => tree.close());

  async function walk(root = tree.directory) {
    const directories: string[] = [];
    const { files, failures } = await walkYaml(root, (directory) => directories.push(directory));
    const short = (path: string) => path.slice(tree.directory.length + 1);
    return { files: files.map(short), failures: failures.map(({ path }) => short(path)), seen: directories.map(short) };
  }

  test("finds YAML files in every folder, sorted by path, and says each folder", async () => {
    for (const file of ["b.yml", "a/z.yaml", "a.yaml", "a/deep/y.yaml", "notes.txt"]) await tree.write(file, "");
    const { files, failures, seen } = await walk();
    expect(files).toEqual(["a.yaml", "a/deep/y.yaml", "a/z.yaml", "b.yml"]);
    expect(failures).toEqual([]);
    expect(seen.toSorted()).toEqual(["", "a", "a/deep"]);
  });

  test("passes by hidden files and folders, and what editors leave behind", async () => {
    for (const file of [".a.yaml", ".git/b.yaml", "#c.yaml", "d.yaml~", "~e.yaml", "f.yaml.swp"]) {
      await tree.write(file, "");
    }
    expect((await walk()).files).toEqual([]);
  });

  test("follows links to files and folders, says where they lead, and ends in spite of a circle", async () => {
    await tree.write("..versions/one/a.yaml", "");
    await mkdir(tree.path("mesh"));
    await symlink("../..versions/one/a.yaml", tree.path("mesh/a.yaml"));
    await symlink("../..versions/one", tree.path("mesh/folder"));
    await symlink(".", tree.path("mesh/self"));
    const { files, seen } = await walk(tree.path("mesh"));
    expect(files).toEqual(["mesh/a.yaml", "mesh/folder/a.yaml"]);
    expect(seen.toSorted()).toEqual(["..versions/one", "mesh", "mesh/folder"]);
  });

  test("does not take a link to nowhere for a deletion", async () => {
    await symlink("nowhere.yaml", tree.path("a.yaml"));
    expect(await walk()).toMatchObject({ files: [], failures: ["a.yaml"] });
  });

  test("throws when there is no such directory", async () => {
    await expect(walk(tree.path("missing"))).rejects.toThrow("ENOENT");
  });
});
