import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { NodeGuard } from "./node-guard.ts";

const node = (id: string, cluster = "") => toBinary(NodeSchema, create(NodeSchema, { id, cluster }));

test("a stream keeps its node: later messages may have no node, the same node, or the same id with more fields", () => {
  const guard = new NodeGuard();
  for (const each of [node("a"), undefined, node("a"), node("a", "edge"), undefined]) {
    expect(guard.fault(each)).toBeUndefined();
  }
});

test("a node with another id is refused", () => {
  const guard = new NodeGuard();
  guard.fault(node("a"));
  expect(guard.fault(node("b"))).toMatchObject({
    status: GrpcStatus.INVALID_ARGUMENT,
    message: expect.stringContaining('from "a" to "b"'),
  });
});
