import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
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

test("a node keeps texts, numbers, switches and labels, and of other metadata only that it is there", () => {
  const used = { NAMESPACE: "edge", MESH_ID: 7, HTTP10: true, NOTHING: null, LABELS: { app: "gw" } };
  const node = lean({ ...used, PROXY_CONFIG: { concurrency: 2 }, POD_PORTS: [{ containerPort: 80 }], OTHER: {} });
  expect(node.metadata).toEqual({ ...used, PROXY_CONFIG: { concurrency: 2 }, POD_PORTS: {}, OTHER: {} });
  expect(node).toMatchObject({ id, cluster: "", locality: { region: "r" }, userAgentName: "" });
});

test("a node whose metadata comes in pieces keeps all of them", () => {
  const node = leanNode(Buffer.concat([piece({ NAMESPACE: "edge" }), piece({ MESH_ID: 7 })]));
  expect(fromBinary(NodeSchema, node).metadata).toEqual({ NAMESPACE: "edge", MESH_ID: 7 });
});

test("metadata that nobody uses may be nested as deeply as it likes", () => {
  expect(lean({ OTHER: nested(90) }).metadata).toEqual({ OTHER: {} });
});

test("metadata that is used is nested 32 levels deep at most", () => {
  expect(lean({ PROXY_CONFIG: nested(15) }).metadata).toEqual({ PROXY_CONFIG: nested(15) });
  expect(() => lean({ PROXY_CONFIG: nested(50) })).toThrow("nested more than 32 levels deep");
});
