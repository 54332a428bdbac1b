import { expect, test } from "vitest";
import { providerLabels, withoutCommonMethods } from "./provider-labels.ts";

function labelsOf(parameters: Readonly<Record<string, string>>, ignored: readonly string[] = []) {
  return providerLabels(new Map(Object.entries(parameters)), new Set(ignored));
}

test("parameters become labels, except ignored ones", () => {
  expect(labelsOf({ side: "provider", pid: "17", release: "3.2.0" }, ["pid"])).toEqual({
    side: "provider",
    release: "3.2.0",
  });
});

test("commas and colons, which labels cannot have, become underscores", () => {
  expect(labelsOf({ hosts: "a:1,b:2" })).toEqual({ hosts: "a_1_b_2" });
});

test("methods are sorted, so that equal lists compare equal", () => {
  expect(labelsOf({ methods: "remove,add" })).toEqual(labelsOf({ methods: "add,remove" }));
  expect(labelsOf({ methods: "remove,add" })).toEqual({ methods: "add_remove" });
});

test.each([
  ["gray", { dubboTag: "gray" }],
  ["env=gray,lane=7", { env: "gray", lane: "7" }],
  ["env=gray,stray", { env: "gray" }],
])("the tag %s is %j", (tag, labels) => {
  expect(labelsOf({ "dubbo.tag": tag })).toEqual(labels);
});

test("methods common to all providers are dropped, and others stay", () => {
  const [one, other] = [{ labels: { methods: "a", x: "1" } }, { labels: { methods: "b" } }];
  expect(withoutCommonMethods([one, one])).toEqual([{ labels: { x: "1" } }, { labels: { x: "1" } }]);
  expect(withoutCommonMethods([one, other])).toEqual([one, other]);
  expect(withoutCommonMethods([one, { labels: {} }])).toEqual([one, { labels: {} }]);
});
