import { utimes, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TempTree } from "../../../testing/temp-tree.ts";
import { readStamped } from "./file-read.ts";
import { FileTexts } from "./file-texts.ts";

describe("the texts of files", () => {
  let tree: TempTree;
  /** How much later than the system it is for the texts: by default, files count as settled. */
  let laterMs = 10_000;
  let reads: string[] = [];
  let texts: FileTexts;

  beforeEach(async () => {
    tree = await TempTree.create();
    laterMs = 10_000;
    reads = [];
    const read = (path: string) => {
      reads.push(path);
      return readStamped(path);
    };
    texts = new FileTexts({ read, nowMs: () => Date.now() + laterMs });
    await tree.write("a.yaml", "a: 1");
    await tree.write("b.yaml", "b: 1");
  });

  afterEach(() => tree.close());

  async function look(...files: readonly string[]): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for (const file of files.map((name) => tree.path(name))) {
      found.push(texts.unchanged(file) ?? (await texts.read(file)));
    }
    texts.sweep();
    return found;
  }

  test("of unchanged files are not read again", async () => {
    for (let turn = 0; turn < 3; turn += 1) expect(await look("a.yaml", "b.yaml")).toEqual(["a: 1", "b: 1"]);
    await tree.write("a.yaml", "a: 2");
    expect(await look("a.yaml", "b.yaml")).toEqual(["a: 2", "b: 1"]);
    expect(reads).toEqual(["a.yaml", "b.yaml", "a.yaml"].map((name) => tree.path(name)));
  });

  test("of a file that was just written are read again, because the next write may leave the same times", async () => {
    laterMs = 0;
    await look("a.yaml");
    await look("a.yaml");
    expect(reads).toHaveLength(2);
  });

  test.each([
    ["written in place with the same size and time", (path: string) => writeFile(path, "a: 2")],
    ["replaced by another file with the same size and time", () => tree.replace("a.yaml", "a: 2")],
  ])("of a file that is %s are read again", async (_, write) => {
    const path = tree.path("a.yaml");
    const time = new Date(1_700_000_000_000);
    await utimes(path, time, time);
    await look("a.yaml");
    await write(path);
    await utimes(path, time, time);
    expect(await look("a.yaml")).toEqual(["a: 2"]);
  });

  test("of a file that is gone, or returns, are read again", async () => {
    await look("a.yaml");
    await tree.remove("a.yaml");
    expect(await look("a.yaml")).toEqual([expect.objectContaining({ code: "ENOENT" })]);
    await tree.write("a.yaml", "a: 1");
    expect(await look("a.yaml")).toEqual(["a: 1"]);
  });

  test("of a file that was not asked for are forgotten", async () => {
    await look("a.yaml", "b.yaml");
    await look("b.yaml");
    await look("a.yaml");
    expect(reads).toHaveLength(3);
  });
});
