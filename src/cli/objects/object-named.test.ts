import { expect, test } from "vitest";
import { objectNamed } from "./object-named.ts";

test("an object has a kind, a namespace and a name", () => {
  expect(objectNamed("vs/shop/reviews")).toMatchObject({
    kind: { kind: "VirtualService" },
    namespace: "shop",
    name: "reviews",
  });
});

test("an object of the whole cluster has no namespace", () => {
  expect(objectNamed("Namespace/shop", "default")).toMatchObject({ namespace: "", name: "shop" });
});

test("the namespace of the name comes before the default namespace", () => {
  expect(objectNamed("vs/reviews", "default")).toMatchObject({ namespace: "default", name: "reviews" });
  expect(objectNamed("vs/shop/reviews", "default")).toMatchObject({ namespace: "shop", name: "reviews" });
});

test.each([
  ["vs", undefined, "vs: expected KIND/NAMESPACE/NAME"],
  ["vs/reviews", undefined, "vs/reviews: expected KIND/NAMESPACE/NAME"],
  ["vs//reviews", undefined, "vs//reviews: expected KIND/NAMESPACE/NAME"],
  ["vs/shop/", undefined, "vs/shop/: expected KIND/NAMESPACE/NAME"],
  ["vs/shop/reviews/more", undefined, "vs/shop/reviews/more: expected KIND/NAMESPACE/NAME"],
  ["vs/", "default", "vs/: expected KIND/NAME"],
  ["Namespace/shop/more", undefined, "Namespace/shop/more: expected KIND/NAME"],
  ["none/shop/reviews", undefined, "none is not a known kind"],
])("%s with the default namespace %s is an error", (text, defaultNamespace, message) => {
  expect(() => objectNamed(text, defaultNamespace)).toThrow(message);
});
