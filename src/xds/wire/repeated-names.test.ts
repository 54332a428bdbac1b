import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { seed } from "../../testing/random/seed.ts";
import { RepeatedNames } from "./repeated-names.ts";
import { readSotwRequest, type SotwRequest } from "./request.ts";

function requestOf(nonce: string, resourceNames: readonly string[]): Uint8Array {
  const init = { versionInfo: "v", typeUrl: "type", responseNonce: nonce, resourceNames: [...resourceNames] };
  return toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init));
}

function contentOf({ typeUrl, nonce, names }: SotwRequest) {
  return { typeUrl, nonce, names: names.texts(), size: names.size, hash: names.hash, digest: names.digest };
}

const clusters = Array.from({ length: 1200 }, (_, index) => `outbound|80||service-${index}.shop.svc.cluster.local`);

test("an ACK that repeats 1 200 names visits none of them", async () => {
  const repeated = new RepeatedNames();
  readSotwRequest(requestOf("1", clusters), repeated);
  const ack = requestOf("2", clusters);
  let size = 0;
  const reads = await functionCalls(
    (url) => url.includes("/src/xds/wire/"),
    () => {
      size = readSotwRequest(ack, repeated).names.size;
    },
  );
  expect(size).toBe(1200);
  expect(reads).toBeLessThan(60);
});

test("a request reads the same with the names of earlier requests as without them", () => {
  const name = fc.constantFrom(...clusters.slice(0, 3), "*", "");
  const lists = fc.array(fc.oneof(fc.array(name, { maxLength: 40 }), fc.constant(clusters.slice(0, 30))), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(lists, (requests) => {
      const repeated = new RepeatedNames();
      for (const [index, names] of requests.entries()) {
        // Some lists begin with an earlier list, or are cut in the middle of it.
        const before = requests[index - 1] ?? [];
        for (const list of [names, [...before, ...names], before.slice(0, -1)]) {
          const bytes = requestOf(String(index), list);
          expect(contentOf(readSotwRequest(bytes, repeated))).toEqual(contentOf(readSotwRequest(bytes)));
        }
      }
    }),
    { seed },
  );
});

test("known names in a message of which the rest is cut are an error, as without them", () => {
  const repeated = new RepeatedNames();
  const bytes = requestOf("1", clusters);
  readSotwRequest(bytes, repeated);
  for (const end of [bytes.length - 1, bytes.length - 5]) {
    expect(() => readSotwRequest(bytes.subarray(0, end), repeated)).toThrow(RangeError);
  }
});

test("names of a message do not keep its bytes", () => {
  const repeated = new RepeatedNames();
  const bytes = requestOf("1", clusters);
  const names = readSotwRequest(bytes, repeated).names.texts();
  bytes.fill(0);
  expect(readSotwRequest(requestOf("2", clusters), repeated).names.texts()).toEqual(names);
});
