import { create, fromBinary, type JsonObject, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { leanNode } from "./lean-node.ts";

const id = "router~10.0.0.1~gw-0.edge~edge.svc.cluster.local";

function lean(metadata: JsonObject) {
  const node = create(NodeSchema, { id, cluster: "gw", metadata, userAgentName: "envoy", locality: { region: "r" } });
  return fromBinary(NodeSchema, leanNode(toBinary(NodeSchema, node)));
}

function piece(metadata: JsonObject): Uint8Array {
  return toBinary(NodeSchema, create(NodeSchema, { id, metadata }));
}

/** So many objects within one another. */
function nested(levels: number): JsonObject {
  let value: JsonObject = { end: true };
  for (let level = 1; level < levels; level++) value = { a: level % 2 === 0 ? value : [value] };
  return value;
}

test("a node keeps strings, numbers, booleans and labels, and of other metadata only its presence", () => {
  const used = { NAMESPACE: "edge", MESH_ID: 7, HTTP10: true, NOTHING: null, LABELS: { app: "gw" } };
  const node = lean({ ...used, PROXY_CONFIG: { concurrency: 2 }, POD_PORTS: [{ containerPort: 80 }], OTHER: {} });
  expect(node.metadata).toEqual({ ...used, PROXY_CONFIG: { concurrency: 2 }, POD_PORTS: {}, OTHER: {} });
  expect(node).toMatchObject({ id, cluster: "gw", locality: { region: "r" }, userAgentName: "" });
});

test("a node with split metadata keeps all pieces", () => {
  const node = leanNode(Buffer.concat([piece({ NAMESPACE: "edge" }), piece({ MESH_ID: 7 })]));
  expect(fromBinary(NodeSchema, node).metadata).toEqual({ NAMESPACE: "edge", MESH_ID: 7 });
});

test("unused metadata may be nested without a limit", () => {
  expect(lean({ OTHER: nested(90) }).metadata).toEqual({ OTHER: {} });
});

test("used metadata may be nested 32 levels deep", () => {
  expect(lean({ PROXY_CONFIG: nested(15) }).metadata).toEqual({ PROXY_CONFIG: nested(15) });
  expect(() => lean({ PROXY_CONFIG: nested(50) })).toThrow("nested more than 32 levels deep");
});

test.each<[string, (inner: JsonValue) => JsonValue]>([
  ["objects", (inner) => ({ a: inner })],
  ["lists", (inner) => [inner]],
])("a text within 31 %s is used, and one within 32 is too deep", (_, within) => {
  const deep = (levels: number) => {
    let value: JsonValue = "end";
    for (let level = 0; level < levels; level++) value = within(value);
    return piece({ PROXY_CONFIG: value });
  };
  expect(Buffer.compare(leanNode(deep(31)), deep(31))).toBe(0);
  expect(() => leanNode(deep(32))).toThrow("nested more than 32 levels deep");
});

test("unused metadata leaves an empty object and no other byte", () => {
  expect(Buffer.compare(leanNode(piece({ OTHER: { a: [1] } })), piece({ OTHER: {} }))).toBe(0);
});

test("a node whose values come before their keys is read like others", () => {
  const struct = [0x12, 4, 0x2a, 2, 0x0a, 0];
  const entry = [...struct, 0x0a, 5, ...Buffer.from("OTHER")];
  const node = Uint8Array.of(0x1a, entry.length + 2, 0x0a, entry.length, ...entry);
  expect(fromBinary(NodeSchema, leanNode(node)).metadata).toEqual({ OTHER: {} });
});

test("fields of metadata that are no entries are omitted", () => {
  expect([...leanNode(Uint8Array.of(0x1a, 4, 0x12, 2, 0x0a, 0))]).toEqual([0x1a, 0]);
});
