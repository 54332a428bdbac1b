import { describe, expect, test } from "vitest";
import { isGatewayReference, resolveGateway } from "./gateway-reference.ts";

describe("references to gateways", () => {
  test.each([
    ["entrance", "shop/entrance"],
    ["./entrance", "shop/entrance"],
    ["infra/entrance", "infra/entrance"],
    ["entrance.infra.svc.cluster.local", "infra/entrance"],
    ["mesh", "mesh"],
  ])("%s in namespace shop means %s", (reference, meant) => {
    expect(resolveGateway(reference, "shop")).toBe(meant);
    expect(isGatewayReference(reference)).toBe(true);
  });

  test.each(["", "a/b/c", "/a", "a/", "*/a", "a b"])("%j refers to no gateway", (reference) => {
    expect(isGatewayReference(reference)).toBe(false);
  });
});
