import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { anyIn, entryAround, entryOf } from "./entry.ts";

test.each([1, 100, 127, 128, 20_000])("an entry around %i bytes is a resource of a DiscoveryResponse", (size) => {
  const any = { typeUrl: "type.googleapis.com/some.Type", value: new Uint8Array(size).fill(7) };
  const entry = entryOf(any.typeUrl, any.value);
  expect(fromBinary(DiscoveryResponseSchema, entry).resources).toMatchObject([any]);
  const encoded = toBinary(AnySchema, create(AnySchema, any));
  expect(Buffer.from(entryAround(encoded))).toEqual(Buffer.from(entry));
  expect(fromBinary(AnySchema, anyIn(entry))).toMatchObject(any);
});

test("an entry owns its memory, so that it does not keep a buffer pool alive", () => {
  const entry = entryOf("some.Type", Uint8Array.of(1, 2));
  expect(entry.buffer.byteLength).toBe(entry.length);
});
