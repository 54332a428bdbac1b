import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TempTree } from "../../../testing/temp-tree.ts";
import { type WalkObserver, type WalkOptions, walkYaml } from "./file-walk.ts";

describe("a walk", () => {
  let tree: TempTree;

  beforeEach(async () => {
    tree = await TempTree.create();
  });

  afterEach(() => tree.close());

  async function walk(root = tree.directory, options: WalkOptions = {}) {
    const short = (path: string) => path.slice(tree.directory.length + 1);
    const visited: string[] = [];
    const followed: string[] = [];
    const observer: WalkObserver = {
      visit: (directory) => visited.push(short(directory)),
      follow: (path) => Promise.resolve(void followed.push(short(path))),
    };
    const { files, failures } = await walkYaml(root, observer, options);
    return {
      files: files.map(short),
      failures: failures.map(({ path, cause }) => [short(path), cause.message]),
      visited,
      followed,
    };
  }

  test("finds YAML files in every folder, sorted by path, and reports each folder", async () => {
    for (const file of ["b.yml", "a/z.yaml", "a.yaml", "a/deep/y.yaml", "notes.txt"]) await tree.write(file, "");
    const { files, failures, visited } = await walk();
    expect(files).toEqual(["a.yaml", "a/deep/y.yaml", "a/z.yaml", "b.yml"]);
    expect(failures).toEqual([]);
    expect(visited.toSorted()).toEqual(["", "a", "a/deep"]);
  });

  test("looks into a folder that is named like a file", async () => {
    await tree.write("a.yaml/b.yaml", "");
    expect((await walk()).files).toEqual(["a.yaml/b.yaml"]);
  });

  test.each([
    [".a.yaml", "hidden"],
    [".git/b.yaml", "in a hidden folder"],
    ["..data/b.yaml", "a version of a mounted ConfigMap"],
    [".a.yaml.swp", "Vim's"],
    ["4913", "Vim's, to see whether it may write"],
    ["a.yaml~", "Vim's and Emacs' last version"],
    ["#a.yaml#", "Emacs' unsaved version"],
    [".#a.yaml", "Emacs' lock"],
    ["a.yaml___jb_tmp___", "JetBrains' new version"],
    ["a.yaml___jb_old___", "JetBrains' old version"],
    ["~a.yaml", "an office suite's lock"],
    ["a.yaml.bak", "a copy"],
  ])("skips %s: %s", async (file) => {
    await tree.write(file, "");
    expect((await walk()).files).toEqual([]);
  });

  test("follows links to files and folders of the directory, including hidden targets", async () => {
    await tree.write("..versions/one/a.yaml", "");
    await tree.write("..versions/two/b.yaml", "");
    await tree.link("a.yaml", "..versions/one/a.yaml");
    await tree.link("folder", tree.path("..versions/two"));
    const { files, failures, visited, followed } = await walk();
    expect(files).toEqual(["a.yaml", "folder/b.yaml"]);
    expect(failures).toEqual([]);
    expect(visited).toEqual(["", "..versions/two"]);
    expect(followed).toEqual(["", "a.yaml", "folder"]);
  });

  test("follows the links of a mounted ConfigMap, also if the directory itself is a link", async () => {
    await tree.write("mount/..2024_05_17/a.yaml", "");
    await tree.link("mount/..data", "..2024_05_17");
    await tree.link("mount/a.yaml", "..data/a.yaml");
    await tree.link("mesh", "mount");
    expect(await walk(tree.path("mesh"))).toMatchObject({ files: ["mesh/a.yaml"], failures: [] });
  });

  describe("a link out of the directory", () => {
    beforeEach(async () => {
      await tree.write("mesh/own.yaml", "");
      await tree.write("mesh-secrets/keys.yaml", "");
    });

    test.each([
      ["to a file", "a.yaml", "../mesh-secrets/keys.yaml", "mesh-secrets/keys.yaml"],
      ["to a folder", "a", "../mesh-secrets", "mesh-secrets"],
      ["to the folder around it", "a", "..", ""],
      ["to nothing yet", "a.yaml", "../mesh-secrets/later.yaml", "mesh-secrets/later.yaml"],
      ["through a link inside", "a.yaml", "hidden/keys.yaml", "mesh-secrets/keys.yaml"],
    ])("%s is reported with its target, and neither read nor watched", async (_, link, target, end) => {
      await tree.link("mesh/.hidden", "../mesh-secrets");
      await tree.link(`mesh/${link}`, target.replace("hidden", ".hidden"));
      const { files, failures, visited, followed } = await walk(tree.path("mesh"));
      expect(files).toEqual(["mesh/own.yaml"]);
      const sentence = `it is a link to ${tree.path(end)}, outside the directory; `.replace("/,", ",");
      expect(failures).toEqual([[`mesh/${link}`, expect.stringContaining(sentence)]]);
      expect({ visited, followed }).toEqual({ visited: ["mesh"], followed: ["mesh"] });
    });

    test("is followed if an option allows it", async () => {
      await tree.link("mesh/a.yaml", "../mesh-secrets/keys.yaml");
      const { files, failures, followed } = await walk(tree.path("mesh"), { followLinksOutside: true });
      expect({ files, failures }).toEqual({ files: ["mesh/a.yaml", "mesh/own.yaml"], failures: [] });
      expect(followed).toEqual(["mesh", "mesh/a.yaml"]);
    });

    test("is ignored if it leads to no YAML", async () => {
      await tree.write("notes.txt", "");
      await tree.link("mesh/README", "../notes.txt");
      expect(await walk(tree.path("mesh"))).toMatchObject({ files: ["mesh/own.yaml"], failures: [] });
    });
  });

  test("reads the target of several links once, and ends despite link loops", async () => {
    for (const folder of Array.from({ length: 12 }, (_, index) => `f${index}`)) {
      await tree.write(`${folder}/${folder}.yaml`, "");
      for (let other = 0; other < 12; other += 1) await tree.link(`${folder}/to-${other}`, `../f${other}`);
    }
    await tree.link("same.yaml", "f0/f0.yaml");
    const { files } = await walk();
    expect(files).toHaveLength(12);
    expect(files).toContain("f0/f0.yaml");
  });

  test("does not treat a dangling or circular link as a deletion", async () => {
    await tree.link("a.yaml", "nowhere.yaml");
    await tree.link("b.yaml", "b.yaml");
    const { files, failures } = await walk();
    expect(files).toEqual([]);
    expect(failures).toMatchObject([
      ["a.yaml", expect.stringContaining("ENOENT")],
      ["b.yaml", expect.stringContaining("ELOOP")],
    ]);
  });

  test("reports paths that are no regular files", async () => {
    await promisify(execFile)("mkfifo", [tree.path("a.yaml")]);
    await tree.link("b.yaml", "/dev/zero");
    await tree.link("d.yaml", "a.yaml");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(tree.path("c.yaml"), resolve));
    const { files, failures } = await walk(tree.directory, { followLinksOutside: true });
    server.close();
    expect(files).toEqual([]);
    expect(failures).toEqual([
      ["a.yaml", "it is a pipe"],
      ["b.yaml", "it is a device"],
      ["c.yaml", "it is a socket"],
      ["d.yaml", "it is a pipe"],
    ]);
  });

  test("throws when there is no such directory, or it is a file", async () => {
    await expect(walk(tree.path("missing"))).rejects.toThrow("ENOENT");
    await tree.write("file", "");
    await expect(walk(tree.path("file"))).rejects.toThrow("ENOTDIR");
  });
});
