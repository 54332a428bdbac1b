import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { type NameSet, noNames } from "../resources/name-set.ts";
import { answerFor, nothingRetained } from "../subscription/answer.ts";
import { endpointType } from "../type-urls.ts";
import { encodeDelta, encodeSotw } from "./encode.ts";
import { HeldVersions } from "./held-versions.ts";

const names = Array.from({ length: 1200 }, (_, index) => `cluster-${String(index).padStart(4, "0")}`);
const set = setOf(endpointType, Object.fromEntries(names.map((name) => [name, 1])));
const dialect = { typeUrl: endpointType };

function firstAnswer(mode: "sotw" | "delta", asked: NameSet) {
  const nothing = {
    wildcard: false,
    answered: false,
    sent: [],
    inStep: [],
    holdsUnknown: false,
    acked: [],
    rejected: new Set(),
    retained: nothingRetained,
    held: HeldVersions.none,
  };
  const client = { type: toyGenerator(endpointType), mode, names: asked, owed: noNames, ...nothing };
  const answer = answerFor(client, [set], { mayRemove: () => true });
  if (answer === undefined) throw new Error("a first request is answered");
  return answer;
}

describe("the first answer to a thousand names", () => {
  test("is a few dozen shared buffers, not one for each name", () => {
    const answer = firstAnswer("sotw", new Set(names));
    expect(answer.resources).toHaveLength(1200);
    expect(encodeSotw(dialect, "1", answer).segments.length).toBeLessThan(40);
    expect(encodeDelta(dialect, "1", firstAnswer("delta", new Set(names))).segments.length).toBeLessThan(40);
  });

  test("has the very same buffers for the next client", () => {
    const [one, other] = [1, 2].map((n) => encodeDelta(dialect, `${n}`, firstAnswer("delta", new Set(names))));
    expect(one?.segments[0]).toBe(other?.segments[0]);
  });

  test("says every name once, also where some of a buffer are not asked for", () => {
    const asked = new Set(names.filter((_, index) => index < 600 || index % 2 === 0));
    const sotw = encodeSotw(dialect, "1", firstAnswer("sotw", asked));
    const { resources } = fromBinary(DiscoveryResponseSchema, Buffer.concat([sotw.prefix, ...sotw.segments]));
    expect(resources).toHaveLength(asked.size);
    const delta = encodeDelta(dialect, "1", firstAnswer("delta", asked));
    const read = fromBinary(DeltaDiscoveryResponseSchema, Buffer.concat([delta.prefix, ...delta.segments]));
    expect(new Set(read.resources.map(({ name }) => name))).toEqual(asked);
  });
});
