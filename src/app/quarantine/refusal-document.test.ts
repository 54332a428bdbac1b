import { describe, expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { sealParts } from "../../config/credential/sealed-parts.ts";
import { configIn } from "../../testing/config/configs-in.ts";
import { objectIn, storedObject } from "./refusal-document.ts";

const metadata = { namespace: "shop", name: "a" };
const route = configIn(
  JSON.stringify({
    apiVersion: "networking.istio.io/v1",
    kind: "VirtualService",
    metadata,
    spec: { hosts: ["a.example.com"], http: [{ route: [{ destination: { host: "a" } }] }] },
  }),
);
const id = configId("VirtualService", "shop", "a");

describe("a stored object", () => {
  test("is the same object again, without the place of its user's file", () => {
    const stored = storedObject(route);
    const { origin: _, ...content } = route;
    expect(stored && objectIn(stored, id)).toMatchObject(content);
  });

  test("is not used if it is not the content of its version, or another object", () => {
    const stored = storedObject(route);
    if (stored === undefined) throw new Error("a VirtualService is stored");
    const spec = { ...(stored.spec as object), hosts: ["b.example.com"] };
    expect(objectIn({ ...stored, spec }, id)).toBeUndefined();
    expect(objectIn(stored, configId("VirtualService", "shop", "b"))).toBeUndefined();
  });

  test("has no sealed parts: such objects are not stored", () => {
    expect(storedObject({ ...route, sealed: sealParts({}) })).toBeUndefined();
  });
});
