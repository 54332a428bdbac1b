import { expect, test } from "vitest";
import { readResourceName, resourceName } from "./resource-name.ts";

const renamed = { key: "mesh", wireName: "istio-system/meshconfig" };

test.each([
  ["shop/a", { namespace: "shop", name: "a" }],
  ["a", { namespace: "", name: "a" }],
  ["/a", { namespace: "", name: "a" }],
  ["shop/", undefined],
  ["shop/a/b", undefined],
  ["shop/a/", undefined],
  ["", undefined],
])("the wire name %j refers to %j", (wireName, id) => {
  expect(readResourceName(wireName, {})).toEqual(id);
  expect(readResourceName(wireName, { renamed })).toEqual(id);
});

test("only the single object of a renamed collection has the other wire name", () => {
  expect(resourceName({ namespace: "", name: "mesh" }, { renamed })).toBe("istio-system/meshconfig");
  expect(readResourceName("istio-system/meshconfig", { renamed })).toEqual({ namespace: "", name: "mesh" });
  expect(resourceName({ namespace: "shop", name: "mesh" }, { renamed })).toBe("shop/mesh");
  expect(resourceName({ namespace: "", name: "mesh" }, {})).toBe("mesh");
});
