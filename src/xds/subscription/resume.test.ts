import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DeltaDiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { NameSets } from "../resources/name-set.ts";
import type { ResourceSet } from "../resources/resource-set.ts";
import { clusterType, endpointType } from "../type-urls.ts";
import { readDeltaRequest } from "../wire/request.ts";
import { receiveDelta } from "./delta.ts";
import { Subscription } from "./subscription.ts";

const names = Array.from({ length: 1200 }, (_, index) => `outbound|${index}||host`);
const contents = Object.fromEntries(names.map((name) => [name, 1]));

/** A reconnecting client that sends its held versions in any order. */
function comeBack(
  typeUrl: string,
  set: ResourceSet,
  { held, asked }: { held: readonly string[]; asked: readonly string[] },
) {
  const versions = held.map((name) => [name, set.get(name)?.version ?? "gone"] as const);
  const message = create(DeltaDiscoveryRequestSchema, {
    typeUrl,
    resourceNamesSubscribe: [...asked],
    initialResourceVersions: Object.fromEntries(versions),
  });
  return readDeltaRequest(toBinary(DeltaDiscoveryRequestSchema, message));
}

function resume(typeUrl: string, held: readonly string[], asked: readonly string[] = [], nameSets = new NameSets()) {
  const set = setOf(typeUrl, contents);
  const request = comeBack(typeUrl, set, { held, asked });
  const subscription = new Subscription(toyGenerator(typeUrl), "delta");
  receiveDelta(subscription, request, { first: true, nameSets });
  const answer = subscription.due([set], { mayRemove: () => true });
  return { answer, request, subscription };
}

describe("a reconnecting client", () => {
  test("that holds everything gets an empty answer, and its versions are not decoded", () => {
    const { answer, request } = resume(clusterType, names);
    expect([answer?.resources, answer?.removed]).toEqual([[], []]);
    expect(request.held.decoded).toBe(false);
  });

  test("may send its held versions in any order", () => {
    const { answer, request } = resume(clusterType, names.toReversed());
    expect(answer?.resources).toEqual([]);
    expect(request.held.decoded).toBe(false);
  });

  test("with the same names as an earlier client is not decoded at all: neither names nor versions", () => {
    const nameSets = new NameSets();
    const first = nameSets.intern(names);
    const { answer, request, subscription } = resume(endpointType, names.toReversed(), names, nameSets);
    expect(answer?.resources).toEqual([]);
    expect(subscription.names).toBe(first);
    expect(request.held.decoded).toBe(false);
  });

  test("has each held version hashed once, and nothing else, after another client of its kind", async () => {
    const set = setOf(endpointType, contents);
    const nameSets = new NameSets();
    const clients = [names, names, names.toReversed()].map((held) =>
      comeBack(endpointType, set, { held, asked: names }),
    );
    const hashes = async (request: ReturnType<typeof comeBack>) => {
      const subscription = new Subscription(toyGenerator(endpointType), "delta");
      return await functionCalls(
        (url) => url.includes("/lib/run-sum.ts") || url.endsWith("/lib/hash.ts"),
        () => {
          receiveDelta(subscription, request, { first: true, nameSets });
          expect(subscription.due([set], { mayRemove: () => true })?.resources).toEqual([]);
        },
        (name) => name === "add" || name === "hash64",
      );
    };
    nameSets.intern(names);
    for (const client of clients.slice(0, 1)) await hashes(client);
    // One for the bytes of all requested names, which come in the same order.
    for (const client of clients.slice(1)) expect(await hashes(client)).toBe(names.length + 1);
  });

  test("with the names of an earlier client, and more held versions, subscribes to all of them", () => {
    const nameSets = new NameSets();
    nameSets.intern(["a", "b"]);
    expect([...resume(endpointType, ["c", "d"], ["a", "b"], nameSets).subscription.names]).toEqual([
      "a",
      "b",
      "c",
      "d",
    ]);
    expect([...resume(endpointType, ["a"], ["a", "b"], nameSets).subscription.names]).toEqual(["a", "b"]);
  });

  test("with the names of an earlier client, and no held versions, gets all of them", () => {
    const nameSets = new NameSets();
    const first = nameSets.intern(names.slice(0, 2));
    const { answer, subscription } = resume(endpointType, [], names.slice(0, 2), nameSets);
    expect(subscription.names).toBe(first);
    expect(answer?.resources.map(({ name }) => name)).toEqual(names.slice(0, 2));
  });

  test("that holds all of its few subscribed names is not decoded name by name", () => {
    const nameSets = new NameSets();
    const few = names.slice(0, 3);
    nameSets.intern(few);
    const { answer, request } = resume(endpointType, few, few, nameSets);
    expect([answer?.resources, answer?.hasChanges, request.held.decoded]).toEqual([[], false, false]);
  });

  test("with one resource missing gets that one", () => {
    const { answer } = resume(clusterType, names.slice(1));
    expect(answer?.resources.map(({ name }) => name)).toEqual(names.slice(0, 1));
  });

  test("with one resource too many gets its removal", () => {
    const { answer } = resume(clusterType, [...names, "gone"]);
    expect([answer?.resources, answer?.removed]).toEqual([[], ["gone"]]);
  });

  test("subscribes to its held versions, even if it does not name them", () => {
    const { subscription, answer } = resume(endpointType, ["outbound|1||host"], ["outbound|2||host"]);
    expect([...subscription.names]).toEqual(["outbound|2||host", "outbound|1||host"]);
    expect(answer?.resources.map(({ name }) => name)).toEqual(["outbound|2||host"]);
  });

  test("that warms clusters gets their endpoints again, whatever it holds", () => {
    const set = setOf(endpointType, contents);
    const subscription = new Subscription(toyGenerator(endpointType), "delta");
    const request = comeBack(endpointType, set, { held: names, asked: names });
    receiveDelta(subscription, request, { first: true, nameSets: new NameSets() });
    const answer = subscription.due([set], { mayRemove: () => true, mustResend: (name) => name === names[7] });
    expect(answer?.resources.map(({ name }) => name)).toEqual([names[7]]);
    expect(answer?.hasChanges).toBe(false);
  });

  test("that warms clusters keeps the endpoints of a removed cluster until its removal may go", () => {
    const set = setOf(endpointType, contents);
    const subscription = new Subscription(toyGenerator(endpointType), "delta");
    const request = comeBack(endpointType, set, { held: ["gone"], asked: ["gone", "outbound|7||host"] });
    receiveDelta(subscription, request, { first: true, nameSets: new NameSets() });
    const first = subscription.due([set], { mayRemove: () => false, mustResend: () => true });
    expect(first?.resources.map(({ name }) => name)).toEqual(["outbound|7||host"]);
    if (first !== undefined) subscription.recordSent("1", first, 0);
    const last = subscription.due([set], { mayRemove: () => true });
    expect(last?.resources.map(({ name }) => name)).toEqual(["gone"]);
  });
});

test("held versions after the first answer are ignored", () => {
  const { answer, subscription } = resume(clusterType, names);
  if (answer !== undefined) subscription.recordSent("1", answer, 0);
  const set = setOf(clusterType, { ...contents, added: 1 });
  subscription.resume(comeBack(clusterType, set, { held: ["gone"], asked: [] }).held);
  const next = subscription.due([set], { mayRemove: () => true });
  expect([next?.resources.map(({ name }) => name), next?.removed]).toEqual([["added"], []]);
});
