import { expect, test } from "vitest";
import { ChangePrinter, type WatchNotation } from "./change-printer.ts";
import type { WatchedItem } from "./item-changes.ts";

function printing(notation: WatchNotation) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  return { printed, printer: new ChangePrinter(notation, { print, printData: print }) };
}

function proxy(name: string, state: string, heard = "1s"): WatchedItem {
  return { key: name, object: { name, state }, cells: [name, state, heard], passing: new Set([2]) };
}

const head = ["NAME", "STATE", "HEARD"];

test("the first table is whole, and then come changed rows alone, deleted ones first", () => {
  const { printed, printer } = printing("text");
  printer.show({ head, items: [proxy("web", "STALE"), proxy("gw", "SYNCED")] });
  printer.show({ head, items: [proxy("web", "SYNCED"), proxy("new", "SYNCED")] });
  expect(printed).toEqual([
    "EVENT      NAME   STATE    HEARD",
    "ADDED      web    STALE    1s",
    "ADDED      gw     SYNCED   1s",
    "DELETED    gw     SYNCED   1s",
    "MODIFIED   web    SYNCED   1s",
    "ADDED      new    SYNCED   1s",
  ]);
});

test("a cell that changes with time alone prints nothing", () => {
  const { printed, printer } = printing("text");
  for (const heard of ["1s", "2s", "3s"]) printer.show({ head, items: [proxy("web", "SYNCED", heard)] });
  expect(printed).toHaveLength(2);
});

test("another head is printed before the next row", () => {
  const { printed, printer } = printing("wide");
  printer.show({ head, items: [proxy("web", "STALE")] });
  printer.show({
    head: [...head, "RDS"],
    items: [{ ...proxy("web", "STALE"), cells: ["web", "STALE", "1s", "ERROR"] }],
  });
  expect(printed.slice(2)).toEqual([
    "EVENT      NAME   STATE   HEARD   RDS",
    "MODIFIED   web    STALE   1s      ERROR",
  ]);
});

test("JSON has one line per change, YAML one document, and a name nothing else", () => {
  const lines = printing("json");
  lines.printer.show({ head, items: [proxy("web", "STALE"), proxy("gw", "STALE")] });
  lines.printer.show({ head, items: [proxy("web", "STALE", "9s")] });
  expect(lines.printed.map((line) => JSON.parse(line) as unknown)).toEqual([
    { type: "ADDED", object: { name: "web", state: "STALE" } },
    { type: "ADDED", object: { name: "gw", state: "STALE" } },
    { type: "DELETED", object: { name: "gw", state: "STALE" } },
  ]);
  const documents = printing("yaml");
  documents.printer.show({ head, items: [proxy("web", "STALE")] });
  expect(documents.printed).toEqual(["---\ntype: ADDED\nobject:\n  name: web\n  state: STALE"]);
  const names = printing("name");
  names.printer.show({ head, items: [{ ...proxy("web", ""), object: "virtualservice/web" }] });
  expect(names.printed).toEqual(["virtualservice/web"]);
});

test("an item that is a text has the kind of change in front", () => {
  const { printed, printer } = printing("text");
  printer.show({ items: [{ key: "a", object: {}, cells: ["object: a\nno problems"] }] });
  printer.show({ items: [] });
  expect(printed).toEqual(["ADDED      object: a\nno problems", "DELETED    object: a\nno problems"]);
});
