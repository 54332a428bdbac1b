import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeNames, loadedCommands } from "./public-names/code-names.ts";
import { checkedCommands, jsonNames, otherCommands } from "./public-names/json-names.ts";

const path = join(import.meta.dirname, "public-names/public-names.txt");
const listed = readFileSync(path, "utf8").trimEnd().split("\n");

test("every public name is in test/public-names/public-names.txt, and every listed name is still there", async () => {
  const present = new Set([...codeNames(), ...(await jsonNames())]);
  const gone = listed.filter((name) => !present.has(name));
  expect(gone.map((name) => `${name}: scripts rely on this name, restore it`)).toEqual([]);
  const unlisted = [...present].filter((name) => !listed.includes(name));
  expect(unlisted.map((name) => `${name}: a new public name, add it to the list`)).toEqual([]);
});

test("the list of public names is sorted, and has each name once", () => {
  expect(listed).toEqual([...new Set(listed)].toSorted());
});

test("each command that prints JSON has its names checked, or a reason why not", () => {
  const printing = loadedCommands.filter(({ flags }) => flags.some(({ short }) => short === "o"));
  const known = [...checkedCommands, ...Object.keys(otherCommands)];
  expect(printing.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
});

/** Commands that print one file, in a notation that its reader prescribes. */
const printFiles = new Set(["bootstrap", "inject"]);

/** Commands whose text is no table: messages, steps, a report or a line. */
const printNoTable = new Set([
  "validate",
  "analyze",
  "explain",
  "apply",
  "delete",
  "diff",
  "fleet",
  "plan",
  "replay",
  "version",
]);

test("each command that prints data takes -o text, json and yaml, and wide if it prints a table", () => {
  const printing = loadedCommands
    .filter(({ name }) => checkedCommands.has(name) || name in otherCommands)
    .filter(({ name }) => name !== "workload" && !printFiles.has(name));
  const lacking = printing.flatMap(({ name, flags }) => {
    const formats = flags.find(({ short }) => short === "o")?.placeholder.split("|") ?? [];
    const needed = ["text", "json", "yaml", ...(printNoTable.has(name) ? [] : ["wide"])];
    return needed.filter((format) => !formats.includes(format)).map((format) => `${name} -o ${format}`);
  });
  expect(lacking).toEqual([]);
});
