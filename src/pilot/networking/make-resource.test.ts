import { fromBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { configId } from "../../config/config.ts";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { makeResource } from "./make-resource.ts";

const writer = new ProtoWriter();

test.each([0, 1, 100, 200, 20_000])("an entry with %i bytes of content is a whole field of a response", (size) => {
  const any = writer.encode(AnySchema, { typeUrl: "t", value: new Uint8Array(size).fill(7) });
  const { entry } = makeResource({ name: "n", any, owners: [] });
  const { resources } = fromBinary(DiscoveryResponseSchema, entry);
  expect(resources.map(({ typeUrl, value }) => [typeUrl, value.length])).toEqual([["t", size]]);
});

test("equal content has equal versions, and owners are sorted and named once", () => {
  const any = new Uint8Array([1, 2]);
  const [a, b] = [configId("B", "n", "x"), configId("A", "n", "x")];
  const resource = makeResource({ name: "n", any, owners: [a, b, a], warmedBy: "w" });
  expect(resource).toMatchObject({ owners: [b, a], warmedBy: "w" });
  expect(makeResource({ name: "other", any: any.slice(), owners: [] }).version).toBe(resource.version);
});
