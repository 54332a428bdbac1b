import { execFile } from "node:child_process";
import { truncate } from "node:fs/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TempTree } from "../../../testing/temp-tree.ts";
import { readText } from "./file-read.ts";

describe("the text of a file", () => {
  let tree: TempTree;

  beforeEach(async () => {
    tree = await TempTree.create();
  });

  afterEach(() => tree.close());

  test("is read as UTF-8", async () => {
    await tree.write("a.yaml", "a: ⚓\n");
    expect(await readText(tree.path("a.yaml"))).toBe("a: ⚓\n");
  });

  test("keeps a replacement character for invalid bytes, so that they can be reported", async () => {
    await tree.write("a.yaml", Buffer.from("a: ä\n", "latin1"));
    expect(await readText(tree.path("a.yaml"))).toBe("a: \uDFFF\n");
  });

  test("of a pipe does not block", async () => {
    await promisify(execFile)("mkfifo", [tree.path("a.yaml")]);
    await expect(readText(tree.path("a.yaml"))).rejects.toThrow("it is a pipe");
  });

  test("of a folder is an error", async () => {
    await expect(readText(tree.directory)).rejects.toThrow("it is a directory");
  });

  test("has a size limit", async () => {
    await tree.write("a.yaml", "");
    await truncate(tree.path("a.yaml"), 64 * 1024 * 1024 + 1);
    await expect(readText(tree.path("a.yaml"))).rejects.toThrow("it has more than 64 MiB");
  });
});
