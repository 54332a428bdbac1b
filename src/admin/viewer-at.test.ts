import { describe, expect, test } from "vitest";
import { viewerAt } from "./viewer-at.ts";

const address = "10.0.0.1:4";
const never = () => false;

describe("the viewer over gRPC", () => {
  test("is an operator of the mesh", () => {
    expect(viewerAt({ address }, () => true)).toEqual({ type: "system" });
  });

  test("is a workload with a proven namespace", () => {
    const identities = ["https://somebody.example", "spiffe://cluster.local/ns/shop/sa/web"];
    expect(viewerAt({ address, identities }, never)).toEqual({ type: "namespace", namespace: "shop" });
  });

  test.each([[undefined], [[]], [["https://somebody.example"]]])("is unknown with %j", (identities) => {
    expect(viewerAt({ address, ...(identities && { identities }) }, never)).toBeUndefined();
  });
});
