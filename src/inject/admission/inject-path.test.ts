import { expect, test } from "vitest";
import { readInjectPath } from "./inject-path.ts";

test.each([
  ["/inject", {}],
  ["/inject/", {}],
  ["/inject/cluster/east", { cluster: "east" }],
  ["/inject/cluster/a--slash--b/net/n1", { cluster: "a/b", network: "n1" }],
  ["/inject/cluster", undefined],
  ["/inject/color/red", undefined],
  ["/inject/toString/x", undefined],
  ["/inject/cluster/%zz", undefined],
  ["/injected", undefined],
])("the path %s means %j", (path, expected) => {
  expect(readInjectPath(path)).toEqual(expected);
});
