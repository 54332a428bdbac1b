import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { runs, seed } from "../../testing/random/seed.ts";
import { NameSets } from "../resources/name-set.ts";
import { readDeltaRequest, readSotwRequest } from "./request.ts";

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const error = fc.option(
  text.map((message) => ({ code: 3, message })),
  { nil: undefined },
);

test("a SotW request is read as protobuf-es reads it", () => {
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
      const read = readSotwRequest(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init)));
      expect(read.typeUrl).toBe(rest.typeUrl);
      expect(read.nonce).toBe(rest.responseNonce);
      expect(read.error).toBe(errorDetail?.message);
      expect(read.node === undefined).toBe(node === undefined);
      expect(read.names.texts()).toEqual(rest.resourceNames);
      expect(read.names.size).toBe(rest.resourceNames.length);
    }),
    { seed },
  );
});

test("a delta request is read as protobuf-es reads it", () => {
  const requests = fc.record({
    typeUrl: text,
    responseNonce: text,
    resourceNamesSubscribe: fc.array(text),
    resourceNamesUnsubscribe: fc.array(text),
    initialResourceVersions: fc.dictionary(text, text),
    errorDetail: error,
  });
  fc.assert(
    fc.property(requests, ({ errorDetail, ...rest }) => {
      const init = { ...rest, ...(errorDetail && { errorDetail }) };
      const read = readDeltaRequest(toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, init)));
      expect(read.typeUrl).toBe(rest.typeUrl);
      expect(read.nonce).toBe(rest.responseNonce);
      expect(read.error).toBe(errorDetail?.message);
      expect(read.subscribe.texts()).toEqual(rest.resourceNamesSubscribe);
      expect(read.unsubscribe).toEqual(rest.resourceNamesUnsubscribe);
      expect(read.held.versions).toEqual(new Map(Object.entries(rest.initialResourceVersions)));
    }),
    { seed },
  );
});

const field = (number: number, value: string) => [number * 8 + 2, value.length, ...Buffer.from(value)];

test("names that do not stand in one run are all read", () => {
  const bytes = Uint8Array.from([...field(3, "a"), ...field(4, "type"), ...field(3, "b"), ...field(3, "c")]);
  expect(readSotwRequest(bytes).names.texts()).toEqual(["a", "b", "c"]);
});

/** What reading threw, or `undefined`. */
function thrownBy(read: (bytes: Uint8Array) => unknown, bytes: Uint8Array): unknown {
  try {
    read(bytes);
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

test("bytes that are no message are refused, never misread and never looped on", () => {
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
