import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { travelling } from "../../testing/mcp/mcp-object.ts";
import { gateways } from "../../testing/mcp/mcp-source-rig.ts";
import { HeldCollection } from "./held-collection.ts";

type Versions = Readonly<Record<string, string>>;

test.each<[string, boolean, Versions, readonly string[], Versions]>([
  ["full state adds", false, { a: "1", b: "1", d: "1" }, [], { a: "1", b: "1", d: "1" }],
  ["full state removes all other resources", false, {}, [], {}],
  ["full state replaces", false, { b: "2", d: "1" }, [], { b: "2", d: "1" }],
  ["a difference adds", true, { d: "1" }, [], { a: "1", b: "1", d: "1" }],
  ["a difference updates", true, { a: "2" }, [], { a: "2", b: "1" }],
  ["a difference deletes", true, {}, ["a"], { b: "1" }],
  ["a delta may remove a missing resource", true, {}, ["x"], { a: "1", b: "1" }],
  ["a delta adds, changes and removes resources", true, { b: "2", d: "1" }, ["a"], { b: "2", d: "1" }],
])("%s", (_, incremental, versions, removedResources, expected) => {
  const held = new HeldCollection(travelling(gateways), true);
  held.take(
    create(ResourcesSchema),
    new Map([
      ["a", "1"],
      ["b", "1"],
    ]),
    new Set(),
  );
  const message = create(ResourcesSchema, { incremental, removedResources: [...removedResources] });
  held.take(message, new Map(Object.entries(versions)), new Set());
  expect(Object.fromEntries(held.versions)).toEqual(expected);
});

type Init = Omit<MessageInitShape<typeof ResourcesSchema>, "$typeName">;

const difference = { incremental: true };
const resource = (name: string, ...bytes: readonly number[]) => ({
  metadata: { name },
  body: { typeUrl: "any", value: Uint8Array.from(bytes) },
});

describe("a rejected resource", () => {
  /** Tells a collection of a message and of what was rejected in it; gives what the source has to hear. */
  function rejecting(held = new HeldCollection(travelling(gateways), true)) {
    return (message: Init, ...names: readonly string[]) =>
      held.reject(
        create(ResourcesSchema, message),
        names.map((name) => ({ name, reason: "bad" })),
      );
  }
  const bad = [{ name: "a", reason: "bad" }];

  test("is reported once, however often the full state repeats it", () => {
    const reject = rejecting();
    const state = { resources: [resource("a", 1)] };
    expect([reject(state, "a"), reject(state, "a"), reject(state, "a")]).toEqual([bad, [], []]);
  });

  test("is reported again with other content, and for another reason", () => {
    const held = new HeldCollection(travelling(gateways), true);
    const reject = rejecting(held);
    reject({ resources: [resource("a", 1)] }, "a");
    expect(reject({ resources: [resource("a", 2)] }, "a")).toEqual(bad);
    const worse = [{ name: "a", reason: "worse" }];
    expect(held.reject(create(ResourcesSchema, { resources: [resource("a", 2)] }), worse)).toEqual(worse);
  });

  test("is reported even if another one was reported before", () => {
    const reject = rejecting();
    reject({ resources: [resource("b", 1)] }, "b");
    expect(reject({ resources: [resource("a", 1), resource("b", 1)] }, "a", "b")).toEqual(bad);
  });

  test("is reported again after a full state without it", () => {
    const reject = rejecting();
    reject({ resources: [resource("a", 1)] }, "a");
    reject({});
    expect(reject({ resources: [resource("a", 1)] }, "a")).toEqual(bad);
  });

  test("is not reported again after a delta that does not name it", () => {
    const reject = rejecting();
    reject({ resources: [resource("a", 1)] }, "a");
    reject({ ...difference, resources: [resource("b", 1)], removedResources: ["c"] });
    expect(reject({ ...difference, resources: [resource("a", 1)] }, "a")).toEqual([]);
  });

  test.each<[string, Init]>([
    ["removed it", { ...difference, removedResources: ["a"] }],
    ["made it good", { ...difference, resources: [resource("a", 2)] }],
  ])("is reported again after a delta that %s", (_, message) => {
    const reject = rejecting();
    reject({ resources: [resource("a", 1)] }, "a");
    reject(message);
    expect(reject({ ...difference, resources: [resource("a", 1)] }, "a")).toEqual(bad);
  });

  test("may have neither a name nor a body", () => {
    const reject = rejecting();
    const nameless = [{ name: "", reason: "bad" }];
    expect([reject({ resources: [{}] }, ""), reject({ resources: [{}] }, "")]).toEqual([nameless, []]);
    const other = { resources: [{ body: { typeUrl: "any", value: Uint8Array.of(1) } }] };
    expect(reject(other, "")).toEqual(nameless);
  });
});

describe("the size of a resource", () => {
  const excess = (bytes: number, ...messages: readonly Init[]) => {
    const held = new HeldCollection(travelling(gateways), true, { bytes });
    return messages.map((message) => held.excessOf(create(ResourcesSchema, message))?.message);
  };
  const metadata = { name: "12", version: "3", labels: { "4": "56" }, annotations: { "789": "0" } };

  test.each<[string, Init["resources"], number]>([
    [
      "is the size of its names, texts and body",
      [{ metadata, body: { typeUrl: "any", value: new Uint8Array(5) } }],
      15,
    ],
    ["is the size of its metadata without a body", [{ metadata }], 10],
    ["is the size of its body without metadata", [{ body: { typeUrl: "any", value: new Uint8Array(5) } }], 5],
  ])("%s", (_, resources = [], size) => {
    expect(excess(size, { resources })).toEqual([undefined]);
    expect(excess(size - 1, { resources })).toEqual([
      `${gateways} exceeds the limit of ${size - 1} bytes: ${size} came`,
    ]);
  });

  test("without a name counts until another nameless one replaces it", () => {
    const nameless = { ...difference, resources: [{ body: { typeUrl: "any", value: new Uint8Array(5) } }] };
    expect(excess(5, nameless, nameless)).toEqual([undefined, undefined]);
  });

  test("counts once in a full state, and is released when a delta removes the resource", () => {
    const resources = [resource("a", 1, 2, 3, 4)];
    expect(excess(5, { resources }, { resources })).toEqual([undefined, undefined]);
    const other = { ...difference, resources: [resource("b", 1, 2, 3, 4)] };
    expect(excess(5, { resources }, other)[1]).toBeDefined();
    expect(excess(5, { resources }, { ...other, removedResources: ["a"] })).toEqual([undefined, undefined]);
  });
});

test("a collection is uncertain after a doubt until a full state is accepted whole", () => {
  const held = new HeldCollection(travelling(gateways), true);
  expect(held.certain).toBe(true);
  held.doubt();
  held.take(create(ResourcesSchema, difference), new Map(), new Set());
  expect(held.certain).toBe(false);
  held.take(create(ResourcesSchema), new Map(), new Set(["a"]));
  expect(held.certain).toBe(false);
  held.take(create(ResourcesSchema, { systemVersionInfo: "v2" }), new Map(), new Set());
  expect([held.certain, held.systemVersion]).toEqual([true, "v2"]);
  held.take(create(ResourcesSchema, difference), new Map(), new Set());
  expect(held.certain).toBe(true);
});

test("a kept resource has its old version, or no version", () => {
  const held = new HeldCollection(travelling(gateways), true);
  const versions = new Map([
    ["a", "1"],
    ["b", "1"],
  ]);
  held.take(create(ResourcesSchema), versions, new Set(["b"]));
  expect(Object.fromEntries(held.versions)).toEqual({ a: "1" });
  held.take(create(ResourcesSchema, { ...difference, removedResources: ["a"] }), new Map(), new Set(["a"]));
  expect(Object.fromEntries(held.versions)).toEqual({ a: "1" });
});
