import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { digestOfRun } from "../../lib/run-sum.ts";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { NameSets } from "../resources/name-set.ts";
import { readDeltaRequest, readNodeOf, readSotwRequest } from "./request.ts";

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const error = fc.option(
  text.map((message) => ({ code: 3, message })),
  { nil: undefined },
);

test("a SotW request decodes as in protobuf-es", () => {
  const requests = fc.record({
    versionInfo: text,
    typeUrl: text,
    responseNonce: text,
    resourceNames: fc.array(text, { maxLength: 50 }),
    node: fc.option(fc.record({ id: text, cluster: text }), { nil: undefined }),
    errorDetail: error,
  });
  fc.assert(
    fc.property(requests, ({ node, errorDetail, ...rest }) => {
      const init = { ...rest, ...(node && { node }), ...(errorDetail && { errorDetail }) };
      const bytes = toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init));
      const read = readSotwRequest(bytes);
      expect(readNodeOf(bytes, "sotw")).toEqual(read.node);
      expect(read.version).toBe(rest.versionInfo);
      expect(read.typeUrl).toBe(rest.typeUrl);
      expect(read.nonce).toBe(rest.responseNonce);
      expect(read.error).toBe(errorDetail?.message);
      expect(read.node && fromBinary(NodeSchema, read.node)).toEqual(node && create(NodeSchema, node));
      expect(read.names.texts()).toEqual(rest.resourceNames);
      expect(read.names.size).toBe(rest.resourceNames.length);
    }),
    { seed },
  );
});

test("a delta request decodes as in protobuf-es", () => {
  const requests = fc.record({
    typeUrl: text,
    responseNonce: text,
    resourceNamesSubscribe: fc.array(text),
    resourceNamesUnsubscribe: fc.array(text),
    initialResourceVersions: fc.dictionary(text, text),
    node: fc.option(fc.record({ id: text, cluster: text }), { nil: undefined }),
    errorDetail: error,
  });
  fc.assert(
    fc.property(requests, ({ node, errorDetail, ...rest }) => {
      const init = { ...rest, ...(node && { node }), ...(errorDetail && { errorDetail }) };
      const bytes = toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, init));
      const read = readDeltaRequest(bytes);
      expect(readNodeOf(bytes, "delta")).toEqual(read.node);
      expect(read.typeUrl).toBe(rest.typeUrl);
      expect(read.nonce).toBe(rest.responseNonce);
      expect(read.error).toBe(errorDetail?.message);
      expect(read.node && fromBinary(NodeSchema, read.node)).toEqual(node && create(NodeSchema, node));
      expect(read.subscribe.texts()).toEqual(rest.resourceNamesSubscribe);
      expect(read.subscribe.size).toBe(rest.resourceNamesSubscribe.length);
      expect(read.unsubscribe).toEqual(rest.resourceNamesUnsubscribe);
      expect(read.held.versions).toEqual(new Map(Object.entries(rest.initialResourceVersions)));
    }),
    { seed },
  );
});

const field = (number: number, value: string) => [number * 8 + 2, value.length, ...Buffer.from(value)];

const isWireFormat = (url: string) => url.endsWith("/wire-format.ts");
const isNumber = (name: string) => name === "readVarint";

test("the node of a first request is read without a visit to what the client asks for and holds", async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `name-${index}`);
  const node = { id: "node" };
  const sotw = { versionInfo: "1", node, resourceNames: names };
  const delta = { node, resourceNamesSubscribe: names };
  const messages = {
    sotw: toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, sotw)),
    delta: toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, delta)),
  };
  for (const mode of ["sotw", "delta"] as const) {
    const read = () => readNodeOf(messages[mode], mode);
    const numbers = await functionCalls(isWireFormat, read, isNumber);
    expect(numbers).toBeLessThan(6);
  }
});

test("names in several runs are all read", () => {
  const bytes = Uint8Array.from([...field(3, "a"), ...field(4, "type"), ...field(3, "b"), ...field(3, "c")]);
  expect(readSotwRequest(bytes).names.texts()).toEqual(["a", "b", "c"]);
});

test("unknown fields, such as resource locators, are skipped", () => {
  const sotw = readSotwRequest(Uint8Array.from([...field(4, "type"), ...field(7, "locator")]));
  expect(sotw).toMatchObject({ version: "", typeUrl: "type", nonce: "", error: undefined, node: undefined });
  const delta = readDeltaRequest(Uint8Array.from([...field(2, "type"), ...field(8, "locator")]));
  expect(delta).toMatchObject({ typeUrl: "type", nonce: "", error: undefined, node: undefined, unsubscribe: [] });
  expect([delta.subscribe.size, delta.held.size]).toEqual([0, 0]);
});

const namesOf = (...names: readonly string[]) =>
  readSotwRequest(Uint8Array.from(names.flatMap((name) => field(3, name)))).names;

test("the hash of names depends on their order, the digest of names does not", () => {
  const [one, other, same] = [namesOf("a", "b"), namesOf("b", "a"), namesOf("a", "b")];
  expect([one.hash === same.hash, one.hash === other.hash]).toEqual([true, false]);
  expect([one.digest, other.digest]).toEqual([digestOfRun("a") + digestOfRun("b"), one.digest]);
});

/** The error that reading threw, or `undefined`. */
function thrownBy(read: (bytes: Uint8Array) => unknown, bytes: Uint8Array): unknown {
  try {
    read(bytes);
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

test("bytes that are no message are refused, and are never misread or read in a loop", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      for (const read of [readSotwRequest, readDeltaRequest]) {
        expect(thrownBy(read, bytes) ?? new RangeError()).toBeInstanceOf(RangeError);
      }
    }),
    { seed, numRuns: runs(500) },
  );
  const cut = Uint8Array.from([0x22, 10, 1, 2]);
  expect(() => readSotwRequest(cut)).toThrow(RangeError);
});

describe("name sets", () => {
  test("are one object for equal names in any order", () => {
    const sets = new NameSets();
    const names = Array.from({ length: 200 }, (_, index) => `outbound|${index}||host`);
    const first = sets.intern(names);
    expect(sets.intern(names.toReversed())).toBe(first);
    expect(sets.intern([...names, ...names])).toBe(first);
    expect(sets.intern(names.slice(1))).not.toBe(first);
    expect(sets.size).toBe(2);
  });
});

test("a rejection reason is kept up to the limit, with its length; its details are dropped", () => {
  const details = [{ typeUrl: "x", value: Buffer.alloc(100_000) }];
  const init = { errorDetail: { code: 3, message: "é".repeat(5_000), details } };
  const kept = `${"é".repeat(4_096)}… (5000 characters)`;
  const sotw = toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init));
  expect(readSotwRequest(sotw).error).toBe(kept);
  const delta = toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, init));
  expect(readDeltaRequest(delta).error).toBe(kept);
});
