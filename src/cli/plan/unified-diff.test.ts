import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { seed, runs } from "../../testing/random/seed.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { applyDiff, isDiff, readDiff } from "./unified-diff.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c: 1", "---", "", "- x", "+ y"), { maxLength: 30 });

async function diffOf(before: string, after: string): Promise<string> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  for (const [side, text] of [
    ["old", before],
    ["new", after],
  ] as const) {
    mkdirSync(join(tree.directory, side));
    writeFileSync(join(tree.directory, side, "web.yaml"), text);
  }
  try {
    return execFileSync("git", ["diff", "--no-index", "old/web.yaml", "new/web.yaml"], {
      cwd: tree.directory,
      encoding: "utf8",
    });
  } catch (thrown) {
    return (thrown as { readonly stdout: string }).stdout;
  }
}

describe("a diff of git", () => {
  test("applied to the old text gives the new text", async () => {
    await fc.assert(
      fc.asyncProperty(lines, lines, async (old, next) => {
        const [before, after] = [old, next].map((all) => `${all.join("\n")}\n`) as [string, string];
        if (before === after) return;
        const [file, ...others] = readDiff(await diffOf(before, after));
        expect(others).toEqual([]);
        expect(file && applyDiff(before, file)).toBe(after);
      }),
      { seed, numRuns: runs(20) },
    );
  });

  test("is told from YAML", async () => {
    expect(isDiff(await diffOf("a: 1\n", "a: 2\n"))).toBe(true);
    for (const yaml of ["---\na: 1\n", "a: |\n  --- x\n  @@ -1 +1 @@\n", "--- # first\na: 1\n"])
      expect(isDiff(yaml)).toBe(false);
  });

  test("names new, deleted and renamed files", () => {
    const text = [
      "diff --git a/m/new.yaml b/m/new.yaml",
      "new file mode 100644",
      "--- /dev/null",
      "+++ b/m/new.yaml",
      "@@ -0,0 +1 @@",
      "+a: 1",
      "diff --git a/m/old.yaml b/m/old.yaml",
      "deleted file mode 100644",
      "--- a/m/old.yaml",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-a: 1",
      "diff --git a/m/x.yaml b/m/y.yaml",
      "similarity index 100%",
      "rename from m/x.yaml",
      "rename to m/y.yaml",
    ].join("\n");
    expect(readDiff(text)).toEqual([
      { before: undefined, after: "m/new.yaml", hunks: [{ start: 0, old: [], new: ["a: 1"] }] },
      { before: "m/old.yaml", after: undefined, hunks: [{ start: 1, old: ["a: 1"], new: [] }] },
      { before: "m/x.yaml", after: "m/y.yaml", hunks: [] },
    ]);
  });

  test("is refused if it was made for another text", () => {
    const [file] = readDiff("--- a/web.yaml\n+++ b/web.yaml\n@@ -1 +1 @@\n-a: 1\n+a: 2\n");
    expect(() => file && applyDiff("b: 1\n", file)).toThrow(
      "web.yaml: the diff does not apply: line 1 is not as the diff has it",
    );
    expect(() => readDiff("@@ -1 +1 @@\n-a\n+b\n")).toThrow("a change before any file");
    expect(() => readDiff("--- a/w.yaml\n+++ b/w.yaml\n@@ -1,3 +1 @@\n-a: 1\n")).toThrow("in the middle of a hunk");
  });
});
