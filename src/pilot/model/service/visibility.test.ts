import { expect, test } from "vitest";
import { visibilityFrom } from "./visibility.ts";

test.each([
  [["*"], "web", "public"],
  [["*", "~"], "web", "public"],
  [["."], "shop", "private"],
  [["shop"], "shop", "private"],
  [["."], "web", "hidden"],
  [["web"], "web", "named"],
  [["web"], "shop", "hidden"],
  [["~", "web"], "web", "hidden"],
])("an object that shop exports to %j is, seen from %s, %s", (exportTo, from, expected) => {
  expect(visibilityFrom(from, { namespace: "shop", exportTo })).toBe(expected);
});
