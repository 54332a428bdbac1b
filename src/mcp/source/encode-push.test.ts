import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type Resources, ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { CowMap } from "../../collection/cow-map.ts";
import { assert } from "../../lib/assert.ts";
import { McpMesh } from "../../testing/mcp/mcp-mesh.ts";
import { describePush } from "../../testing/mcp/mcp-raw-sink.ts";
import { gateways } from "../../testing/mcp/mcp-source-rig.ts";
import type { ResourceSet } from "../../xds/resources/resource-set.ts";
import { mcpForm } from "../encoded-sets.ts";
import { type EncodedPush, encodePush, type PushContent } from "./encode-push.ts";

type Objects = Readonly<Record<string, string>>;

/** The set of one mesh after another was published: sets that share what did not change. */
function setsOf(...states: readonly Objects[]): readonly ResourceSet[] {
  const mesh = new McpMesh([gateways]);
  return states.map((objects) => {
    mesh.objects.set(gateways, new CowMap());
    for (const [key, content] of Object.entries(objects)) mesh.set(gateways, key, content);
    mesh.publish();
    const set = mesh.cache.sets(mcpForm).get(gateways);
    assert(set !== undefined, "what was published is there");
    return set;
  });
}

const head = { collection: gateways, nonce: "7" };
const messageOf = ({ prefix, segments }: EncodedPush): Resources =>
  fromBinary(ResourcesSchema, Buffer.concat([prefix, ...segments]));
const told = (set: ResourceSet, content: PushContent) => describePush(messageOf(encodePush(head, set, content)));

describe("a sent delta", () => {
  test.each<[string, Objects, Objects, string]>([
    ["from nothing", {}, { a: "0" }, "7 delta: a=0"],
    ["with an addition", { a: "0" }, { a: "0", b: "0" }, "7 delta: b=0"],
    ["without a change", { a: "0" }, { a: "0" }, "7 delta:"],
    ["with an update", { a: "0", b: "0" }, { a: "1", b: "0" }, "7 delta: a=1"],
    ["with one that is gone", { a: "0", b: "0" }, { b: "0" }, "7 delta: -a"],
    ["with all gone", { a: "0", b: "0" }, {}, "7 delta: -a -b"],
    ["with all of it", { a: "0", b: "0", c: "0" }, { b: "1", c: "0", d: "0" }, "7 delta: b=1 d=0 -a"],
  ])("%s is the same from a set and from versions by name", (_, before, after, expected) => {
    const [from, to] = setsOf(before, after);
    assert(from !== undefined && to !== undefined, "there are two");
    expect(told(to, { type: "delta", from: { type: "set", set: from } })).toBe(expected);
    const versions = new Map(Array.from(from, ({ name, version }) => [name, version]));
    expect(told(to, { type: "delta", from: { type: "versions", versions } })).toBe(expected);
  });
});

test("a delta from announced versions is marked as resumed, and no other push is", () => {
  const [from, to] = setsOf({ a: "0" }, { a: "1" });
  assert(from !== undefined && to !== undefined, "there are two");
  const versions = new Map(Array.from(from, ({ name, version }) => [name, version]));
  const resumed = (content: PushContent) => messageOf(encodePush(head, to, content)).resumed;
  expect(resumed({ type: "delta", from: { type: "versions", versions } })).toBe(true);
  expect(resumed({ type: "delta", from: { type: "set", set: from } })).toBe(false);
  expect(resumed({ type: "full" })).toBe(false);
});

test("the own bytes of a push are only its version, collection, nonce and marks", () => {
  const [from, to] = setsOf({ a: "0" }, { a: "1" });
  assert(from !== undefined && to !== undefined, "there are two");
  const own = { systemVersionInfo: to.version, collection: gateways, nonce: "7" };
  const prefixOf = (content: PushContent) => Uint8Array.from(encodePush(head, to, content).prefix);
  const bytesOf = (marks: { readonly incremental?: boolean; readonly resumed?: boolean }) =>
    Uint8Array.from(toBinary(ResourcesSchema, create(ResourcesSchema, { ...own, ...marks })));
  expect(prefixOf({ type: "full" })).toEqual(bytesOf({}));
  expect(prefixOf({ type: "delta", from: { type: "set", set: from } })).toEqual(bytesOf({ incremental: true }));
  const resumed = { incremental: true, resumed: true };
  expect(prefixOf({ type: "delta", from: { type: "versions", versions: new Map() } })).toEqual(bytesOf(resumed));
});

test("removed names are sorted, in any order of the announcement", () => {
  const [to] = setsOf({});
  assert(to !== undefined, "there is one");
  const versions = new Map(["c", "a", "b"].map((name) => [name, "1"]));
  const push = encodePush(head, to, { type: "delta", from: { type: "versions", versions } });
  expect([messageOf(push).removedResources, push.removed]).toEqual([["a", "b", "c"], 3]);
});

test("a push has its collection, version and nonce, and is sorted by name", () => {
  const [set] = setsOf({ b: "0", a: "0" });
  assert(set !== undefined, "there is one");
  const push = encodePush(head, set, { type: "full" });
  expect(messageOf(push)).toMatchObject({ collection: gateways, systemVersionInfo: set.version, incremental: false });
  expect(told(set, { type: "full" })).toBe("7 full: a=0 b=0");
  expect(push).toMatchObject({
    resources: 2,
    removed: 0,
    bytes: Buffer.concat([push.prefix, ...push.segments]).length,
  });
});

test("sinks with the same state share all but a few bytes of a push", () => {
  const [from, to] = setsOf({ a: "0" }, { a: "1", b: "0" });
  assert(from !== undefined && to !== undefined, "there are two");
  const delta: PushContent = { type: "delta", from: { type: "set", set: from } };
  for (const content of [delta, { type: "full" } as const]) {
    const [one, other] = [encodePush(head, to, content), encodePush({ ...head, nonce: "8" }, to, content)];
    expect(one.segments).toHaveLength(1);
    expect(one.segments[0]).toBe(other.segments[0]);
    expect(one.prefix.length).toBeLessThan(80);
  }
});
