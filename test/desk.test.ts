import { globSync, readFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { deskLaw } from "./desk-law.ts";

const root = resolve(import.meta.dirname, "..");

describe("the pages of the desk", () => {
  test("see only types of the API, and have no inline code", () => {
    const files = globSync("desk/**/*.{ts,tsx}", { cwd: root });
    expect(files.length).toBeGreaterThan(20);
    const problems = files.flatMap((path) =>
      deskLaw(path, readFileSync(join(root, path), "utf8")).map((problem) => `${path}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  test.each([
    ['import { Graph } from "../src/collection/graph.ts";', "must not import src/collection/graph.ts"],
    ['import { x } from "../src/desk/api/model/events.ts";', "may import only types from src/desk/api/model/events.ts"],
    ['import { readFileSync } from "node:fs";', "must not import node:fs"],
    ['export const a = <p style="color: red" />;', "must not have inline code"],
  ])("are found out: %s", (text, problem) => {
    expect(deskLaw("desk/main.tsx", text)).toEqual([problem]);
  });

  test("are built into a shell that loads one script and one stylesheet of this server", () => {
    const shell = readFileSync(join(root, "gen/desk/index.html"), "utf8");
    const loaded = Array.from(
      shell.matchAll(/<(?:script|link rel="stylesheet")[^>]*\b(?:src|href)="([^"]+)"/gu),
      ([, url = ""]) => url,
    );
    const byType = loaded.toSorted((a, b) => (extname(a) < extname(b) ? -1 : 1));
    expect(byType).toEqual([
      expect.stringMatching(/^\/assets\/desk-[0-9a-f]{12}\.css$/u),
      expect.stringMatching(/^\/assets\/desk-[0-9a-f]{12}\.js$/u),
    ]);
    for (const url of loaded) expect(readFileSync(join(root, "gen/desk", url), "utf8")).not.toBe("");
    expect(shell).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/u);
  });
});
