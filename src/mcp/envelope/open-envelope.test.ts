import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import { travelling } from "../../testing/mcp/mcp-object.ts";
import { gateways } from "../../testing/mcp/mcp-source-rig.ts";
import { openEnvelope } from "./open-envelope.ts";

const ours = { "binnacle.io/origin": "mesh/a.yaml:3" };
const hash = "0123456789abcdef";

function opened(version: string, annotations: Readonly<Record<string, string>> = {}) {
  const collection = travelling(gateways);
  const metadata = { name: "shop/a", version, annotations: { ...annotations } };
  const body = { typeUrl: collection.body.typeUrl, value: new Uint8Array() };
  const resource = create(ResourceSchema, { metadata, body });
  return openEnvelope(resource, collection, { sourceName: "mcp://galley", age: "today" });
}

test("an object of a Binnacle keeps its hash and its origin", () => {
  const { version, origin } = opened(hash, ours);
  expect(version).toBe(hash);
  expect(origin).toMatchObject({ source: "mcp://galley", reference: "mesh/a.yaml:3" });
  expect(origin.locate("spec")).toBeUndefined();
});

test("every other version is a hash of the content", () => {
  const { version, origin } = opened(hash);
  expect(version).not.toBe(hash);
  expect(origin).toMatchObject({ source: "mcp://galley", reference: "mcp://galley" });
  for (const other of ["v0", `${hash}0`, `0${hash}`, ""]) expect(opened(other, ours).version).toBe(version);
});

test("a MeshConfig of a Galley before Istio 1.7 has its concurrency as a number", () => {
  const collection = travelling("istio/mesh/v1alpha1/MeshConfig");
  // defaultConfig 14 with concurrency 16, which was a number then.
  const value = Uint8Array.of(14 * 8 + 2, 3, 0x80, 0x01, 2);
  const metadata = { name: "istio-system/meshconfig" };
  const resource = create(ResourceSchema, { metadata, body: { typeUrl: collection.body.typeUrl, value } });
  const { spec } = openEnvelope(resource, collection, { sourceName: "mcp://galley", age: "galley" });
  expect(spec).toMatchObject({ defaultConfig: { concurrency: 2 } });
});
