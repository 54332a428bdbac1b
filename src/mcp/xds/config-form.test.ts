import { describe, expect, test } from "vitest";
import { mcpObject, travelling } from "../../testing/mcp/mcp-object.ts";
import { envelopeWriter } from "../envelope/encode-resource.ts";
import { asWritten, forOthers, isSyntheticName } from "./config-form.ts";

const gateways = travelling("istio/networking/v1alpha3/gateways");
const networks = travelling("istio/mesh/v1alpha1/MeshNetworks");
const synthetic = travelling("istio/networking/v1alpha3/synthetic/serviceentries");
const others = forOthers("cluster.local");

describe("on the wire of xDS", () => {
  test("an object without a namespace is named /name, and one with a namespace namespace/name", () => {
    const named = mcpObject(gateways, "shop/front", "1");
    const nameless = mcpObject(networks, "networks", "1");
    for (const form of [asWritten, others]) {
      expect(form.nameOf(named, gateways)).toBe("shop/front");
      expect(form.nameOf(nameless, networks)).toBe("/networks");
      expect(Buffer.from(form.entryOf(nameless, networks)).includes("/networks")).toBe(true);
    }
  });

  test("an entry made of a service has a marked name for other clients", () => {
    const entry = mcpObject(synthetic, "shop/reviews", "1");
    expect(others.nameOf(entry, synthetic)).toBe("shop/synthetic-reviews");
    expect(asWritten.nameOf(entry, synthetic)).toBe("shop/reviews");
    expect(["shop/synthetic-a", "/synthetic-a", "synthetic-shop/a"].map(isSyntheticName)).toEqual([true, true, false]);
  });

  test("an object is encoded once for all clients", () => {
    const object = mcpObject(gateways, "shop/front", "1");
    const before = envelopeWriter.encodings;
    const entry = asWritten.entryOf(object, gateways);
    expect(others.entryOf(object, gateways)).toBe(entry);
    expect(asWritten.entryOf(object, gateways)).toBe(entry);
    expect(envelopeWriter.encodings - before).toBe(1);
  });
});
