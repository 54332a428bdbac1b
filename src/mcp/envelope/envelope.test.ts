import { create, equals, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import type { Config } from "../../config/config.ts";
import { decode } from "../../config/proto-json/proto-json.ts";
import { assert } from "../../lib/assert.ts";
import { mcpObject, travelling } from "../../testing/mcp/mcp-object.ts";
import { rawArbitrary } from "../../testing/random/raw-arbitrary.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { type McpCollection, mcpCollections } from "../collections.ts";
import { encodeEntry, encodeResource, envelopeOf, envelopeWriter } from "./encode-resource.ts";
import { EnvelopeError } from "./envelope-error.ts";
import { openEnvelope, readEnvelope } from "./open-envelope.ts";

const gateways = travelling("istio/networking/v1alpha3/gateways");
const rules = travelling("istio/networking/v1alpha3/destinationrules");
const meshPolicies = travelling("istio/authentication/v1alpha1/meshpolicies");
const policies = travelling("istio/authentication/v1alpha1/policies");
const meshConfigs = travelling("istio/mesh/v1alpha1/MeshConfig");

const opened = (bytes: Uint8Array, collection: McpCollection) =>
  openEnvelope(readEnvelope(bytes), collection, { sourceName: "mcp://galley", age: "today" });
const carried = (config: Config, collection: McpCollection) => opened(encodeResource(config, collection), collection);
const envelope = (config: Config, collection: McpCollection) =>
  fromBinary(ResourceSchema, encodeResource(config, collection));
const reasonOf = (bytes: Uint8Array, collection: McpCollection) => {
  try {
    opened(bytes, collection);
  } catch (thrown) {
    assert(thrown instanceof EnvelopeError, "nothing else is thrown");
    return [thrown.resource, thrown.reason];
  }
  return [];
};

const texts = fc.dictionary(fc.stringMatching(/^[a-z][a-z./-]{0,8}$/), fc.string(), { maxKeys: 3 });
const around = fc.record({
  namespace: fc.stringMatching(/^[a-z]{0,4}$/),
  name: fc.stringMatching(/^[a-z][a-z.-]{0,6}$/),
  labels: texts,
  annotations: texts,
  createdAt: fc.oneof(fc.constant(0), fc.integer({ min: -62_135_596_799_999, max: 253_402_300_799_999 })),
  reference: fc.string(),
});
const messageRows = mcpCollections.filter(({ body }) => !body.typeUrl.includes("binnacle"));

describe("an object in its envelope", () => {
  test.each(messageRows.map((row) => [row.name, row] as const))("%s comes back unchanged", (_, collection) => {
    const { kind, body } = collection;
    const property = fc.property(around, rawArbitrary(kind.schema), ({ reference, ...meta }, raw) => {
      const { message: spec } = decode(kind.schema, raw, { path: "spec", unknownFields: "ignored" });
      assert(spec !== undefined, "what is generated can be read");
      const origin = { source: "file:mesh", reference, locate: () => undefined };
      const content = { ...meta, kind: kind.kind, apiVersion: `${kind.group}/other`, spec, origin };
      const config = { ...content, version: body.versionOf(content) };
      const { origin: arrived, spec: message, ...rest } = carried(config, collection);
      const { origin: _, spec: __, ...expected } = config;
      expect(rest).toEqual(expected);
      expect(arrived).toMatchObject({ source: "mcp://galley", reference });
      expect(equals(kind.schema, message as Message, spec)).toBe(true);
    });
    fc.assert(property, { seed, numRuns: runs(8) });
  });

  test("has a version that depends on labels, annotations, age and spec, not on its position", () => {
    const config = mcpObject(rules, "shop/a", "1");
    const versionOf = (change: Partial<Config>) => rules.body.versionOf({ ...config, ...change });
    const changed = [
      versionOf({ labels: { app: "x" } }),
      versionOf({ annotations: { note: "x" } }),
      versionOf({ createdAt: 1 }),
      versionOf({ spec: create(rules.kind.schema, { host: "other" }) }),
      versionOf({ name: "b" }),
    ];
    expect(new Set([config.version, ...changed]).size).toBe(6);
    expect(versionOf({ origin: { source: "", reference: "elsewhere", locate: () => undefined } })).toBe(config.version);
    expect(envelope(config, rules).metadata?.version).toBe(config.version);
  });

  test("is encoded only once", () => {
    const config = mcpObject(rules, "shop/a", "1");
    const before = envelopeWriter.encodings;
    const bytes = encodeResource(config, rules);
    expect(encodeResource(config, rules)).toBe(bytes);
    const entry = encodeEntry(config, rules);
    expect(bytes.buffer).toBe(entry.buffer);
    expect(Buffer.from(entry.subarray(entry.length - bytes.length)).equals(bytes)).toBe(true);
    expect(envelopeWriter.encodings - before).toBe(1);
  });

  test("with an unknown age has year 1, Go's zero time, and a missing time is an unknown age", () => {
    const config = { ...mcpObject(rules, "shop/a", "1"), createdAt: 0 };
    const message = envelope(config, rules);
    expect(message.metadata?.createTime?.seconds).toBe(-62_135_596_800n);
    if (message.metadata) delete message.metadata.createTime;
    expect(opened(toBinary(ResourceSchema, message), rules).createdAt).toBe(0);
  });
});

describe("names on the wire", () => {
  test.each([
    ["shop/a", "shop", "a"],
    ["a", "", "a"],
    ["/a", "", "a"],
  ])("%s is %s, %s", (wireName, namespace, name) => {
    const bytes = envelopeOf(mcpObject(meshPolicies, "x", "1"), meshPolicies, wireName);
    expect(opened(bytes, meshPolicies)).toMatchObject({ namespace, name });
  });

  test.each(["", "/", "shop/", "a/b/c", "//"])("%j is not a wire name", (wireName) => {
    const bytes = envelopeOf(mcpObject(gateways, "shop/x", "1"), gateways, wireName);
    expect(reasonOf(bytes, gateways)).toEqual([wireName, "this is neither namespace/name nor a name"]);
  });

  test("an object without a namespace is called by its bare name", () => {
    expect(envelope(mcpObject(meshPolicies, "default", "1"), meshPolicies).metadata?.name).toBe("default");
    expect(envelope(mcpObject(gateways, "shop/a", "1"), gateways).metadata?.name).toBe("shop/a");
  });

  test("the mesh configuration has the same name as in the real Galley", () => {
    const config = mcpObject(meshConfigs, "mesh", "1");
    expect(envelope(config, meshConfigs).metadata?.name).toBe("istio-system/meshconfig");
    expect(carried(config, meshConfigs)).toMatchObject({ namespace: "", name: "mesh" });
  });
});

describe("a body of the wrong type", () => {
  test("is not sent", () => {
    const gateway = mcpObject(gateways, "shop/a", "1");
    expect(() => encodeResource(gateway, rules)).toThrow(EnvelopeError);
    // Two collections of one message: the kind tells them apart.
    const meshPolicy = mcpObject(meshPolicies, "default", "1");
    expect(() => encodeResource(meshPolicy, policies)).toThrow("default: a MeshPolicy does not belong");
  });

  test("is rejected, and the error names the resource and the problem", () => {
    const bytes = encodeResource(mcpObject(gateways, "shop/a", "1"), gateways);
    const [expected, actual] = [rules.body.typeUrl, gateways.body.typeUrl];
    expect(reasonOf(bytes, rules)).toEqual(["shop/a", `expected ${expected}, found ${actual}`]);
  });

  test.each([
    ["no metadata", {}, ["", "there is no metadata"]],
    ["no body", { metadata: { name: "shop/a" } }, ["shop/a", "there is no body"]],
    [
      "a time after the year 9999",
      { metadata: { name: "shop/a", createTime: { seconds: 253_402_300_800n } } },
      ["shop/a", "create_time is out of range"],
    ],
  ] as const)("a resource with %s is rejected", (_, resource, expected) => {
    expect(reasonOf(toBinary(ResourceSchema, create(ResourceSchema, resource)), gateways)).toEqual(expected);
  });

  test("bytes that are no message are rejected", () => {
    const body = { typeUrl: gateways.body.typeUrl, value: Uint8Array.of(0x0a, 0x7f) };
    const bytes = toBinary(ResourceSchema, create(ResourceSchema, { metadata: { name: "shop/a" }, body }));
    expect(reasonOf(bytes, gateways)).toEqual(["shop/a", expect.stringContaining("the body is no")]);
    expect(reasonOf(Uint8Array.of(0x0a, 0x7f), gateways)).toEqual(["", "no envelope of a resource"]);
  });
});

test("content without a JSON form is refused, because it cannot be compared", () => {
  const handlers = travelling("istio/config/v1alpha2/adapters");
  // A value of a Struct that is no value.
  const body = { typeUrl: handlers.body.typeUrl, value: Uint8Array.of(0x0a, 0x05, 0x0a, 0x01, 0x61, 0x12, 0x00) };
  const bytes = toBinary(ResourceSchema, create(ResourceSchema, { metadata: { name: "shop/a" }, body }));
  expect(reasonOf(bytes, handlers)).toEqual(["shop/a", expect.stringContaining("must have a value")]);
});

const foreign = (version: string, host: string) => {
  const value = toBinary(rules.kind.schema, create(rules.kind.schema, { host }));
  const metadata = { name: "shop/a", version };
  const resource = create(ResourceSchema, { metadata, body: { typeUrl: rules.body.typeUrl, value } });
  return opened(toBinary(ResourceSchema, resource), rules).version;
};

describe("the version of a foreign object", () => {
  test("is a hash of its content, because a restarted Galley counts from v0 again", () => {
    expect(foreign("v0", "before")).not.toBe(foreign("v0", "after"));
    expect(foreign("v0", "same")).toBe(foreign("v7", "same"));
    expect(foreign("0123456789abcdef", "before")).not.toBe(foreign("0123456789abcdef", "after"));
  });
});
