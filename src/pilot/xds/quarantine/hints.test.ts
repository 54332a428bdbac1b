import { expect, test } from "vitest";
import { type ConfigId, configId } from "../../../config/config.ts";
import { suspectsNamedIn } from "./hints.ts";

const ids = Array.from({ length: 8 }, (_, index) => configId("VirtualService", "shop", `vs-${index}`));

function named(text: string, textOf: (index: number) => string): readonly ConfigId[] {
  return [...suspectsNamedIn(text, ids, (id) => `${id} route ${textOf(ids.indexOf(id))}`)];
}

test.each([
  ["a host", "duplicate domain host-3.example.com in route", (index: number) => `host-${index}.example.com`],
  ["an expression", "missing ): /(", (index: number) => (index === 3 ? "/(" : "/")],
  ["a quoted name", "unknown cluster 'outbound|80||3'.", (index: number) => `outbound|80||${index}`],
])("a text that quotes %s points at the object that has it", (_, text, textOf) => {
  expect(named(text, textOf)).toEqual([ids[3]]);
});

test("the rarest word counts", () => {
  expect(named("prefix and exact", (index) => ["prefix", "prefix exact"][index] ?? "")).toEqual([ids[1]]);
});

test.each(["route is bad", "no word of these", "( x"])(
  "%s points at nothing, because all objects or none have it",
  (text) => {
    expect(named(text, () => "same")).toEqual([]);
  },
);

test("one suspect needs no hint", () => {
  expect(suspectsNamedIn("vs-0", ids.slice(0, 1), (id) => id).size).toBe(0);
});
