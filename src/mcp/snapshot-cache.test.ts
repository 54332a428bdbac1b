import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { assert } from "../lib/assert.ts";
import { hex64 } from "../lib/hash.ts";
import { McpMesh } from "../testing/mcp/mcp-mesh.ts";
import { mcpObject, travelling } from "../testing/mcp/mcp-object.ts";
import { gateways, rules, synthetic } from "../testing/mcp/mcp-source-rig.ts";
import { digestOf } from "../xds/resources/digest.ts";
import { mcpForm } from "./encoded-sets.ts";
import { envelopeWriter } from "./envelope/encode-resource.ts";
import { SnapshotCache } from "./snapshot-cache.ts";

const meshOf = () => new McpMesh([gateways, rules, synthetic]);
const names = (mesh: McpMesh, collection: string) =>
  Array.from(mesh.cache.sets(mcpForm).get(collection) ?? [], ({ name }) => name);

/** Hears what changes. */
function listening(cache: SnapshotCache) {
  const heard: string[] = [];
  const cancel = cache.onChange({
    changed: (collections) => heard.push([...collections].toSorted().join()),
  });
  return { heard, cancel };
}

describe("a snapshot cache", () => {
  test("knows nothing of a collection before the first snapshot of its group", () => {
    const mesh = meshOf();
    expect(mesh.cache.sets(mcpForm).get(gateways)).toBeUndefined();
    mesh.cache.distribute({ group: "default", collections: new Map() });
    expect(mesh.cache.sets(mcpForm).get(gateways)?.size).toBe(0);
    expect(mesh.cache.sets(mcpForm).get(synthetic)).toBeUndefined();
    expect(mesh.cache.sets(mcpForm).get("istio/unheard/of")).toBeUndefined();
    expect(mesh.cache.groups).toEqual(["default"]);
  });

  test("names the groups with a snapshot, sorted", () => {
    const mesh = meshOf();
    for (const group of ["syntheticServiceEntry", "default"] as const) {
      mesh.cache.distribute({ group, collections: new Map() });
    }
    expect(mesh.cache.groups).toEqual(["default", "syntheticServiceEntry"]);
  });

  test("gives a version to an empty collection, and to one that a snapshot lacks", () => {
    const mesh = meshOf();
    mesh.cache.distribute({ group: "default", collections: new Map() });
    expect(mesh.cache.sets(mcpForm).get(gateways)?.version).toMatch(/^[0-9a-f]{16}$/);
  });

  test("has a version that depends only on names and versions, not on order or process", () => {
    const [one, other] = [meshOf(), meshOf()];
    for (const key of ["shop/a", "shop/b"]) one.set(gateways, key, "1");
    for (const key of ["shop/b", "shop/a"]) other.set(gateways, key, "1");
    for (const mesh of [one, other]) mesh.publish();
    const set = one.cache.sets(mcpForm).get(gateways);
    expect(set?.version).toBe(other.cache.sets(mcpForm).get(gateways)?.version);
    const sum = [...(set ?? [])].reduce((total, resource) => total + digestOf(resource), 0n);
    expect(set?.version).toBe(hex64(BigInt.asUintN(64, sum)));
  });

  test("tells its listeners exactly which collections may have changed", () => {
    const mesh = meshOf();
    const { heard, cancel } = listening(mesh.cache);
    mesh.publish();
    const view = mesh.cache.view(gateways);
    assert(view !== undefined, "there is a snapshot");
    const views = new Map([[gateways, view]]);
    mesh.cache.distribute({ group: "default", collections: views });
    expect(heard).toEqual([[rules, gateways].join(), synthetic, rules]);
    cancel();
    mesh.publish();
    expect(heard).toHaveLength(3);
  });

  test("never changes a returned set", () => {
    const mesh = meshOf();
    mesh.set(gateways, "shop/a", "1");
    mesh.publish();
    const before = mesh.cache.sets(mcpForm).get(gateways);
    mesh.delete(gateways, "shop/a");
    mesh.publish();
    expect(before?.get("shop/a")).toBeDefined();
    expect(mesh.cache.sets(mcpForm).get(gateways)?.size).toBe(0);
    expect(mesh.cache.sets(mcpForm).get(gateways)?.version).not.toBe("");
  });
});

describe("the cost of a change", () => {
  test("is that of the changed objects: only these are encoded again", () => {
    const mesh = meshOf();
    for (let index = 0; index < 1000; index++) mesh.set(gateways, `shop/g${index}`, "1");
    mesh.publish();
    const before = mesh.cache.sets(mcpForm).get(gateways);
    const encodings = envelopeWriter.encodings;
    mesh.set(gateways, "shop/g500", "2");
    mesh.publish();
    const after = mesh.cache.sets(mcpForm).get(gateways);
    expect(envelopeWriter.encodings - encodings).toBe(1);
    const shared = new Set(before?.segments()).intersection(new Set(after?.segments()));
    expect(shared.size).toBe((before?.segments().length ?? 0) - 1);
  });

  test("is nothing without requests, however many snapshots there are", () => {
    const mesh = meshOf();
    const encodings = envelopeWriter.encodings;
    for (let round = 0; round < 10; round++) {
      mesh.set(gateways, "shop/a", String(round));
      mesh.publish();
    }
    expect(envelopeWriter.encodings).toBe(encodings);
    names(mesh, gateways);
    expect(envelopeWriter.encodings - encodings).toBe(1);
  });

  test("is nothing for an object that only moved: its version and the collection's version stay", () => {
    const mesh = meshOf();
    mesh.set(gateways, "shop/a", "1");
    mesh.publish();
    const before = mesh.cache.sets(mcpForm).get(gateways);
    const moved = mcpObject(travelling(gateways), "shop/a", "1");
    mesh.objects.get(gateways)?.set("shop/a", { ...moved, origin: { ...moved.origin, reference: "b.yaml:7" } });
    mesh.publish();
    const after = mesh.cache.sets(mcpForm).get(gateways);
    expect(after?.version).toBe(before?.version);
    // A new sink receives the current origin.
    expect(Buffer.from(after?.get("shop/a")?.entry ?? "").includes("b.yaml:7")).toBe(true);
  });
});

test("an object that cannot be sent is reported, and its last sent version stays", () => {
  const refused: string[] = [];
  const rows = [gateways, rules].map(travelling);
  const cache = new SnapshotCache({
    collections: rows,
    onRefused: (collection, { resource, reason }) => refused.push(`${collection} ${resource}: ${reason}`),
  });
  const mesh = new McpMesh([gateways, rules], cache);
  for (const key of ["shop/a", "shop/b"]) mesh.set(gateways, key, "1");
  mesh.publish();
  const before = cache.sets(mcpForm).get(gateways)?.get("shop/a");
  const wrong = { ...mcpObject(travelling(gateways), "shop/a", "2"), spec: create(travelling(rules).kind.schema) };
  mesh.objects.get(gateways)?.set("shop/a", wrong);
  mesh.set(gateways, "shop/b", "2");
  mesh.publish();
  const after = cache.sets(mcpForm).get(gateways);
  expect(after?.get("shop/a")).toBe(before);
  expect(after?.get("shop/b")?.version).toBe(mesh.objects.get(gateways)?.get("shop/b")?.version);
  expect(refused).toEqual([`${gateways} shop/a: a Gateway does not belong among ${travelling(gateways).body.typeUrl}`]);
});

test("each form is cached once, separately", () => {
  const mesh = meshOf();
  mesh.set(gateways, "shop/a", "1");
  mesh.publish();
  const other = { nameOf: () => "other", entryOf: () => Uint8Array.of(1), versionOf: () => "its own" };
  expect(mesh.cache.sets(other)).toBe(mesh.cache.sets(other));
  expect([...(mesh.cache.sets(other).get(gateways) ?? [])]).toMatchObject([{ name: "other", version: "its own" }]);
  expect(names(mesh, gateways)).toEqual(["shop/a"]);
});
