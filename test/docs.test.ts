import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const documents = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root }).toSorted();
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };

/** Files and folders of ours that a text names; a placeholder such as `<kind>.ts` counts as its folder. */
const paths = /(?<![\w./-])(?:src|test|scripts|proto|docs|examples|bench)\/[\w./*-]*/g;
const links = /\]\((?!\w+:|#)([^)#\s]+)(?:#[^)\s]*)?\)/g;
const commands = /\bnpm run (?:--silent )?([\w:]+)/g;

/** What a document, whose links start from `folder`, speaks of although it is not there. */
function missing(text: string, folder: string): string[] {
  const linked = matches(text, links).map((target) => join(folder, target));
  const named = matches(text, paths).map((path) => path.replace(/[.-]+$/, ""));
  return [
    ...[...linked, ...named].filter((path) => !isThere(path)),
    ...matches(text, commands)
      .filter((name) => !(name in scripts))
      .map((name) => `npm run ${name}`),
  ];
}

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), (match) => match[1] ?? match[0]);
}

function isThere(path: string): boolean {
  return path.includes("*") ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));
}

describe("documents name only what is there", () => {
  test.each(documents)("%s", (path) => {
    expect(missing(readFileSync(join(root, path), "utf8"), dirname(path))).toEqual([]);
  });

  test("and what is not there is found", () => {
    const text = "[a](../README.md#run) [b](gone.md) `src/cli/main.ts`, src/gone.ts. `npm run gone`, `test/gone/*`.";
    expect(missing(text, "docs")).toEqual(["docs/gone.md", "src/gone.ts", "test/gone/*", "npm run gone"]);
  });
});
