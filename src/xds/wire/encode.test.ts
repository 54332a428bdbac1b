import { fromBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { assert } from "../../lib/assert.ts";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { makeResource } from "../resources/make-resource.ts";
import { type NameSet, noNames } from "../resources/name-set.ts";
import type { Resource } from "../resources/resource.ts";
import { ResourceSet } from "../resources/resource-set.ts";
import { answerFor, nothingRetained } from "../subscription/answer.ts";
import { endpointType } from "../type-urls.ts";
import { type EncodedResponse, encodeDelta, encodeSotw } from "./encode.ts";
import { entryOf } from "./entry.ts";
import { HeldVersions } from "./held-versions.ts";

const names = Array.from({ length: 1200 }, (_, index) => `cluster-${String(index).padStart(4, "0")}`);
const set = setOf(endpointType, Object.fromEntries(names.map((name) => [name, 1])));
const dialect = { typeUrl: endpointType };
const type = toyGenerator(endpointType);

const nothing = {
  whole: false,
  resources: [],
  removed: [],
  changed: [],
  resent: [],
  postponed: [],
  isRetry: false,
  retained: nothingRetained,
  hasChanges: false,
};

/** Resources with content, in sets as the server serves them. */
const made = (...contents: readonly string[]) =>
  contents.map((name) => makeResource({ typeUrl: "some.Type", name, value: Buffer.from(`content of ${name}`) }));
const setWith = (...names: readonly string[]) => ResourceSet.empty.apply({ covers: "all", resources: made(...names) });

const joined = ({ prefix, segments }: EncodedResponse) => Buffer.concat([prefix, ...segments]);
const contentsOf = (resources: readonly Any[]) =>
  resources.map(({ typeUrl, value }) => `${typeUrl}: ${Buffer.from(value).toString()}`);

const translate = (resource: Resource) => ({ ...resource, entry: entryOf("old.Type", Buffer.from(resource.name)) });

describe("a SotW response", () => {
  test("has version, type, nonce and the resources of the answer", () => {
    const target = [setWith("a").versioned("7"), setWith("b").versioned("8")];
    const encoded = encodeSotw({ typeUrl: "some.Type" }, "5", { ...nothing, target, resources: made("a", "b") });
    const { versionInfo, typeUrl, nonce, resources } = fromBinary(DiscoveryResponseSchema, joined(encoded));
    expect([versionInfo, typeUrl, nonce, encoded.version]).toEqual(["7-8", "some.Type", "5", "7-8"]);
    expect(contentsOf(resources)).toEqual(["some.Type: content of a", "some.Type: content of b"]);
    expect([encoded.resources, encoded.bytes]).toEqual([2, joined(encoded).length]);
  });

  test("that is whole has all parts of the target plus the retained resources", () => {
    const target = [setWith("a", "b"), setWith("c")];
    const encoded = encodeSotw({ typeUrl: "some.Type" }, "5", {
      ...nothing,
      whole: true,
      target,
      resources: made("d"),
    });
    const { resources } = fromBinary(DiscoveryResponseSchema, joined(encoded));
    expect(contentsOf(resources)).toEqual(["a", "b", "c", "d"].map((name) => `some.Type: content of ${name}`));
    expect(encoded.resources).toBe(4);
    expect(encoded.segments[0]).toBe(target[0]?.segments()[0]);
  });

  test.each([true, false])("in another dialect has every resource translated, whole: %s", (whole) => {
    const target = [setWith("a", "b")];
    const dialect = { typeUrl: "old.Type", translate };
    const encoded = encodeSotw(dialect, "5", { ...nothing, whole, target, resources: made("c") });
    const { typeUrl, resources } = fromBinary(DiscoveryResponseSchema, joined(encoded));
    const names = whole ? ["a", "b", "c"] : ["c"];
    expect([typeUrl, contentsOf(resources)]).toEqual(["old.Type", names.map((name) => `old.Type: ${name}`)]);
  });
});

describe("a delta response", () => {
  test("has each resource with name and version, and the removed names", () => {
    const target = [setWith("a").versioned("7")];
    const gone = ["long gone", "gone"];
    const [a] = made("a");
    assert(a !== undefined, "one resource");
    const encoded = encodeDelta({ typeUrl: "some.Type" }, "5", { ...nothing, target, resources: [a], removed: gone });
    const read = fromBinary(DeltaDiscoveryResponseSchema, joined(encoded));
    expect([read.systemVersionInfo, read.typeUrl, read.nonce, encoded.version]).toEqual(["7", "some.Type", "5", "7"]);
    expect(read.removedResources).toEqual(gone);
    expect(read.resources.map(({ name, version }) => [name, version])).toEqual([["a", a.version]]);
    expect(contentsOf(read.resources.flatMap(({ resource }) => resource ?? []))).toEqual(["some.Type: content of a"]);
    expect([encoded.resources, encoded.bytes]).toEqual([1, joined(encoded).length]);
  });

  test("in another dialect has every resource translated", () => {
    const dialect = { typeUrl: "old.Type", translate };
    const encoded = encodeDelta(dialect, "5", { ...nothing, target: [setWith("a")], resources: made("a") });
    const { resources } = fromBinary(DeltaDiscoveryResponseSchema, joined(encoded));
    expect(resources.map(({ name, resource }) => [name, resource?.typeUrl])).toEqual([["a", "old.Type"]]);
  });
});

test.each([
  [31, 31],
  [32, 1],
])("%i resources leave as %i buffers: shared buffers are used only from 32 on", (count, segments) => {
  const few = setWith(...names.slice(0, count));
  const encoded = encodeSotw(dialect, "1", { ...nothing, target: [few], resources: [...few] });
  expect(encoded.segments).toHaveLength(segments);
});

function firstAnswer(mode: "sotw" | "delta", asked: NameSet) {
  const fresh = {
    wildcard: false,
    answered: false,
    sent: [],
    sentInFull: [],
    holdsUnknown: false,
    acked: [],
    rejected: new Set(),
    retained: nothingRetained,
    held: HeldVersions.none,
  };
  const client = { type, mode, names: asked, forced: noNames, ...fresh };
  const answer = answerFor(client, [set], { mayRemove: () => true });
  if (answer === undefined) throw new Error("a first request is answered");
  return answer;
}

const isEncoder = (url: string) => url.endsWith("/encode.ts");
const isSearch = (name: string) => name === "inOrder";

describe("the first answer to a thousand names", () => {
  test("is a few dozen shared buffers, not one per name", () => {
    const answer = firstAnswer("sotw", new Set(names));
    expect(answer.resources).toHaveLength(1200);
    expect(encodeSotw(dialect, "1", answer).segments.length).toBeLessThan(40);
    expect(encodeDelta(dialect, "1", firstAnswer("delta", new Set(names))).segments.length).toBeLessThan(40);
  });

  test("has the same buffer objects for the next client", () => {
    const [one, other] = [1, 2].map((n) => encodeDelta(dialect, `${n}`, firstAnswer("delta", new Set(names))));
    expect(one?.segments[0]).toBe(other?.segments[0]);
  });

  test.each(["sotw", "delta"] as const)("is searched for shared buffers once for all %s clients", async (mode) => {
    const asked = new Set(names);
    const encode = mode === "sotw" ? encodeSotw : encodeDelta;
    const clients = () => {
      for (let client = 0; client < 100; client++) encode(dialect, `${client}`, firstAnswer(mode, asked));
    };
    expect(await functionCalls(isEncoder, clients, isSearch)).toBe(1);
  });

  test("has every name once, even if the client did not request some names of a buffer", () => {
    const asked = new Set(names.filter((_, index) => index < 600 || index % 2 === 0));
    const sotw = encodeSotw(dialect, "1", firstAnswer("sotw", asked));
    const { resources } = fromBinary(DiscoveryResponseSchema, Buffer.concat([sotw.prefix, ...sotw.segments]));
    expect(resources).toHaveLength(asked.size);
    const delta = encodeDelta(dialect, "1", firstAnswer("delta", asked));
    const read = fromBinary(DeltaDiscoveryResponseSchema, Buffer.concat([delta.prefix, ...delta.segments]));
    expect(new Set(read.resources.map(({ name }) => name))).toEqual(asked);
  });
});
