import { describe, expect, test } from "vitest";
import { viewerAt } from "./viewer-at.ts";

const address = "10.0.0.1:4";
const never = () => false;

describe("who looks on over gRPC", () => {
  test("is whoever runs the mesh", () => {
    expect(viewerAt({ address }, () => true)).toEqual({ type: "system" });
  });

  test("is a workload with a proven namespace", () => {
    const identities = ["https://somebody.example", "spiffe://cluster.local/ns/shop/sa/web"];
    expect(viewerAt({ address, identities }, never)).toEqual({ type: "namespace", namespace: "shop" });
  });

  test.each([[undefined], [[]], [["https://somebody.example"]]])("is nobody with %j", (identities) => {
    expect(viewerAt({ address, ...(identities && { identities }) }, never)).toBeUndefined();
  });
});
