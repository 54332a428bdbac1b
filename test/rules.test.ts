import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const tables = globSync("docs/reference/*-rules.md", { cwd: root }).toSorted();

/** A row names the test that shows a rule, or the reason why the rule is not built. */
interface Row {
  readonly line: number;
  readonly rule: string;
  readonly shown: string;
}

function rowsOf(text: string): readonly Row[] {
  return text.split("\n").flatMap((line, index) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const [, section = "", rule = "", shown = ""] = cells;
    return cells.length === 5 && /^§[\dA-Z]/u.test(section) ? [{ line: index + 1, rule, shown }] : [];
  });
}

/** The reason of a missing rule must say what holds instead, not who will build it. */
const forecast = /\b(?:issue [A-Z]|later|yet|tier \d)\b/u;

/** `path › name of the test`, several of them with `<br>` between; or `not built: …`. */
function problemsOf({ line, shown }: Row): readonly string[] {
  if (/^not built: \S/u.test(shown)) return forecast.test(shown) ? [`line ${line}: a reason is no plan`] : [];
  return shown.split("<br>").flatMap((entry) => {
    const [path = "", name = ""] = entry.split("›").map((part) => part.trim().replaceAll("`", ""));
    if (path === "" || !existsSync(join(root, path))) return [`line ${line}: there is no ${path || "test named"}`];
    if (name === "") return [`line ${line}: ${path} has many tests, name one`];
    return readFileSync(join(root, path), "utf8").includes(name) ? [] : [`line ${line}: ${path} has no test ${name}`];
  });
}

describe("the tables of rules name existing tests", () => {
  test.each(tables)("%s", (path) => {
    const rows = rowsOf(readFileSync(join(root, path), "utf8"));
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.flatMap(problemsOf)).toEqual([]);
  });

  test("a missing test is detected", () => {
    const here = "test/rules.test.ts";
    const absent = ["nobody", "has", "this"].join(" ");
    const rows = rowsOf(`| § | rule | shown by |
|---|---|---|
| §1 | a | \`${here}\` › and what is not there is found |
| §2 | b | not built: nobody needs it |
| §3 | c | \`src/gone.test.ts\` › x |
| §4 | d | \`${here}\` › ${absent} |
| §5 | e | \`${here}\` |
| §6 | f | not built: a later issue |`);
    expect(rows.map(({ rule }) => rule)).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(rows.flatMap(problemsOf)).toEqual([
      "line 5: there is no src/gone.test.ts",
      `line 6: ${here} has no test ${absent}`,
      `line 7: ${here} has many tests, name one`,
      "line 8: a reason is no plan",
    ]);
  });
});
