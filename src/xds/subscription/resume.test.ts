import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DeltaDiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { NameSets } from "../resources/name-set.ts";
import type { ResourceSet } from "../resources/resource-set.ts";
import { clusterType, endpointType } from "../type-urls.ts";
import { readDeltaRequest } from "../wire/request.ts";
import { receiveDelta } from "./delta.ts";
import { Subscription } from "./subscription.ts";

const names = Array.from({ length: 1200 }, (_, index) => `outbound|${index}||host`);
const contents = Object.fromEntries(names.map((name) => [name, 1]));

/** A client that comes back with what it holds, in whatever order it likes. */
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

describe("a client that comes back", () => {
  test("with everything is answered with nothing, and what it holds is not read name by name", () => {
    const { answer, request } = resume(clusterType, names);
    expect([answer?.resources, answer?.removed]).toEqual([[], []]);
    expect(request.held.decoded).toBe(false);
  });

  test("may tell what it holds in any order", () => {
    const { answer, request } = resume(clusterType, names.toReversed());
    expect(answer?.resources).toEqual([]);
    expect(request.held.decoded).toBe(false);
  });

  test("with the names of others before it is not read at all: neither its names nor its versions", () => {
    const nameSets = new NameSets();
    const first = nameSets.intern(names);
    const { answer, request, subscription } = resume(endpointType, names.toReversed(), names, nameSets);
    expect(answer?.resources).toEqual([]);
    expect(subscription.names).toBe(first);
    expect(request.held.decoded).toBe(false);
  });

  test("with one resource less gets that one", () => {
    const { answer } = resume(clusterType, names.slice(1));
    expect(answer?.resources.map(({ name }) => name)).toEqual(names.slice(0, 1));
  });

  test("with one resource more is told that it is gone", () => {
    const { answer } = resume(clusterType, [...names, "gone"]);
    expect([answer?.resources, answer?.removed]).toEqual([[], ["gone"]]);
  });

  test("subscribes to what it holds, also where it does not name it", () => {
    const { subscription, answer } = resume(endpointType, ["outbound|1||host"], ["outbound|2||host"]);
    expect([...subscription.names]).toEqual(["outbound|2||host", "outbound|1||host"]);
    expect(answer?.resources.map(({ name }) => name)).toEqual(["outbound|2||host"]);
  });

  test("and waits for endpoints to arrive again gets them, whatever it holds", () => {
    const set = setOf(endpointType, contents);
    const subscription = new Subscription(toyGenerator(endpointType), "delta");
    const request = comeBack(endpointType, set, { held: names, asked: names });
    receiveDelta(subscription, request, { first: true, nameSets: new NameSets() });
    const answer = subscription.due([set], { mayRemove: () => true, mustResend: (name) => name === names[7] });
    expect(answer?.resources.map(({ name }) => name)).toEqual([names[7]]);
    expect(answer?.news).toBe(false);
  });
});
