import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { introduceNode } from "./node-client.ts";

const introduce = introduceNode(100);
const bytesOf = (id: string) => toBinary(NodeSchema, create(NodeSchema, { id, cluster: "edge", metadata: { a: 1 } }));

test("a node with an id is a client", () => {
  const client = { nodeId: "a", cluster: "edge", metadata: { a: 1 } };
  expect(introduce(bytesOf("a"))).toEqual({ type: "client", client });
});

test.each([
  ["no node", undefined],
  ["no id", bytesOf("")],
  ["something else than a node", Uint8Array.of(0x0a, 9, 1)],
])("a client with %s is refused", (_what, bytes) => {
  expect(introduce(bytes)).toMatchObject({ type: "refused", status: GrpcStatus.INVALID_ARGUMENT });
});

test("a node above the size limit is not decoded", () => {
  const unreadable = Buffer.alloc(101, 0xff);
  expect(introduce(unreadable)).toEqual({
    type: "refused",
    status: GrpcStatus.RESOURCE_EXHAUSTED,
    message: "a node of 101 bytes is larger than the limit of 100 bytes",
  });
});
