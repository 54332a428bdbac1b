import { describe, expect, test } from "vitest";
import { kindOf } from "../../../config/kinds.ts";
import { keysBelow, kindPrefix, objectKey, parseObjectKey } from "./object-key.ts";

const entries = { group: "networking.istio.io", plural: "serviceentries" };

describe("the key of an object", () => {
  test.each([
    [{ ...entries, namespace: "shop", name: "reviews" }, "/mesh/networking.istio.io/serviceentries/shop/reviews"],
    [{ group: "", plural: "services", namespace: "shop", name: "reviews" }, "/mesh/core/services/shop/reviews"],
    [{ group: "", plural: "nodes", namespace: "", name: "node-1" }, "/mesh/core/nodes/_/node-1"],
  ])("of %o is %s, and can be read back", (parts, key) => {
    expect(objectKey("/mesh", parts)).toBe(key);
    expect(parseObjectKey("/mesh", key)).toEqual(parts);
  });

  test.each(["/mesh", "/mesh/notes", "/mesh/a/b/c/d/e", "/mesh/a//c/d", "/meshes/a/b/c/d", "/other/a/b/c/d"])(
    "is not %s",
    (key) => {
      expect(parseObjectKey("/mesh", key)).toBeUndefined();
    },
  );
});

function isIn(key: string, folder: string): boolean {
  const { key: from, end: to } = keysBelow(folder);
  return Buffer.compare(Buffer.from(key), from) >= 0 && Buffer.compare(Buffer.from(key), to) < 0;
}

describe("the range of a kind", () => {
  const kind = kindOf("networking.istio.io/v1", "ServiceEntry");
  test("holds its objects in all namespaces, or in one, and no others", () => {
    const key = "/mesh/networking.istio.io/serviceentries/shop/reviews";
    expect(kind && isIn(key, kindPrefix("/mesh", kind))).toBe(true);
    expect(kind && isIn(key, kindPrefix("/mesh", kind, "shop"))).toBe(true);
    expect(kind && isIn(key, kindPrefix("/mesh", kind, "sho"))).toBe(false);
    expect(kind && isIn("/mesh/networking.istio.io/serviceentries2/shop/reviews", kindPrefix("/mesh", kind))).toBe(
      false,
    );
  });
});
