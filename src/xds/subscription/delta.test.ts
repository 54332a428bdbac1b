import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DeltaDiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { NameSets } from "../resources/name-set.ts";
import type { ResourceSet } from "../resources/resource-set.ts";
import { clusterType, endpointType, listenerType } from "../type-urls.ts";
import { readDeltaRequest } from "../wire/request.ts";
import { receiveDelta } from "./delta.ts";
import { Subscription } from "./subscription.ts";

interface Asked {
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
  readonly held?: Readonly<Record<string, string>>;
  readonly nonce?: string;
  readonly error?: string;
}

function rig(typeUrl: string, contents: Readonly<Record<string, number>>) {
  const subscription = new Subscription(toyGenerator(typeUrl), "delta");
  const nameSets = new NameSets();
  let set: ResourceSet = setOf(typeUrl, contents);
  let first = true;
  let nonce = 0;
  return {
    subscription,
    version: (name: string) => set.get(name)?.version ?? "",
    edit: (next: Readonly<Record<string, number>>) => {
      set = setOf(typeUrl, next);
    },
    ask: ({ subscribe = [], unsubscribe = [], held = {}, nonce: responseNonce = "", error }: Asked) => {
      const message = create(DeltaDiscoveryRequestSchema, {
        typeUrl,
        resourceNamesSubscribe: [...subscribe],
        resourceNamesUnsubscribe: [...unsubscribe],
        initialResourceVersions: { ...held },
        responseNonce,
        ...(error === undefined ? {} : { errorDetail: { code: 3, message: error } }),
      });
      const request = readDeltaRequest(toBinary(DeltaDiscoveryRequestSchema, message));
      const outcome = receiveDelta(subscription, request, { first, nameSets });
      first = false;
      return outcome.type;
    },
    /** Sends what is due: `+name` for each resource, `-name` for each removal, or "nothing". */
    answer: ({ mayRemove = true } = {}) => {
      const answer = subscription.due([set], { mayRemove: () => mayRemove });
      if (answer === undefined) return "nothing";
      subscription.sendAs(String(++nonce), answer, 0);
      return [...answer.resources.map(({ name }) => `+${name}`), ...answer.removed.map((name) => `-${name}`)].join(" ");
    },
  };
}

describe("a delta client", () => {
  test("gets all at first, then only what changed", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1, b: 1 });
    expect([ask({}), answer()]).toEqual(["asked", "+a +b"]);
    expect([ask({ nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    edit({ a: 2, c: 1 });
    expect(answer()).toBe("+a +c -b");
  });

  test("that resumes gets only what differs from what it holds, and is answered even if nothing does", () => {
    const one = rig(clusterType, { a: 1, b: 1 });
    expect(one.ask({ held: { b: one.version("b"), a: one.version("a") } })).toBe("asked");
    expect(one.answer()).toBe("");
    const other = rig(clusterType, { a: 1, b: 1 });
    other.ask({ held: { a: "old", b: other.version("b"), c: "gone" } });
    expect(other.answer()).toBe("+a -c");
  });

  test("is answered again when it subscribes to what it already has", () => {
    const { ask, answer } = rig(endpointType, { a: 1 });
    ask({ subscribe: ["a"] });
    answer();
    ask({ nonce: "1" });
    expect([ask({ subscribe: ["a"] }), answer()]).toEqual(["asked", "+a"]);
  });

  test("is told that a name does not exist, and gets it once it does", () => {
    const { ask, answer, edit } = rig(listenerType, {});
    expect([ask({ subscribe: ["a"] }), answer()]).toEqual(["asked", "-a"]);
    ask({ nonce: "1" });
    edit({ a: 1, b: 1 });
    expect(answer()).toBe("+a");
  });

  test("hears no more of a name it left", () => {
    const { ask, answer, edit } = rig(endpointType, { a: 1, b: 1 });
    ask({ subscribe: ["a", "b"] });
    answer();
    expect([ask({ unsubscribe: ["a"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    edit({ a: 2, b: 2 });
    expect(answer()).toBe("+b");
    expect(ask({ unsubscribe: ["b"], nonce: "2" })).toBe("unsubscribed");
  });

  test("gets a name it leaves once more when it still wants all", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1 });
    ask({ subscribe: ["*", "a"] });
    answer();
    expect([ask({ unsubscribe: ["a"], nonce: "1" }), answer()]).toEqual(["asked", "+a"]);
    expect(ask({ unsubscribe: ["*"], nonce: "2" })).toBe("unsubscribed");
  });

  test("gets all when it comes to want all", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1 });
    ask({ subscribe: ["a"] });
    expect(answer()).toBe("+a");
    expect([ask({ subscribe: ["*"], nonce: "1" }), answer()]).toEqual(["asked", "+a +b"]);
  });

  test("leaves a name it never asked for without consequence", () => {
    const { ask, answer, subscription } = rig(endpointType, { a: 1 });
    ask({ subscribe: ["a"] });
    answer();
    expect([ask({ unsubscribe: ["x"], nonce: "1" }), answer(), subscription.state]).toEqual([
      "ack",
      "nothing",
      "synced",
    ]);
  });

  test("acknowledges nothing by a message without a nonce", () => {
    const { ask, answer, subscription } = rig(endpointType, { a: 1, b: 1 });
    ask({ subscribe: ["a"] });
    answer();
    expect([ask({ subscribe: ["b"] }), subscription.state, subscription.inFlight?.nonce]).toEqual([
      "asked",
      "stale",
      "1",
    ]);
  });

  test("may reject a response and subscribe in one message", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    ask({ subscribe: ["a"] });
    answer();
    expect([ask({ subscribe: ["b"], nonce: "1", error: "no" }), answer()]).toEqual(["nack", "+b"]);
  });

  test("may have names beside all, and keeps them when it leaves all", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1, b: 1 });
    ask({ subscribe: ["*", "a"] });
    expect(answer()).toBe("+a +b");
    expect([ask({ unsubscribe: ["*"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    edit({ a: 2, b: 2 });
    expect(answer()).toBe("+a");
  });

  test("that wants nothing yet gets nothing", () => {
    const { ask } = rig(clusterType, { a: 1 });
    expect(ask({ subscribe: ["*"], unsubscribe: ["*"] })).toBe("unsubscribed");
  });

  test("subscribes whatever nonce it sends along, and acknowledges only with the right one", () => {
    const { ask, answer, subscription } = rig(endpointType, { a: 1, b: 1 });
    ask({ subscribe: ["a"] });
    answer();
    expect([ask({ subscribe: ["b"], nonce: "old" }), subscription.inFlight?.nonce]).toEqual(["asked", "1"]);
    expect([ask({ nonce: "old" }), ask({ nonce: "1" })]).toEqual(["stale", "ack"]);
    expect(answer()).toBe("+b");
  });

  test("that left all while a removal was held back gets what comes back, although it is as it was", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1, b: 1, n: 1 });
    ask({ subscribe: ["*", "n"] });
    answer();
    ask({ nonce: "1" });
    edit({ b: 2, n: 1 });
    expect(answer({ mayRemove: false })).toBe("+b");
    ask({ nonce: "2" });
    ask({ unsubscribe: ["*"] });
    expect([ask({ subscribe: ["*"] }), answer({ mayRemove: false })]).toEqual(["asked", "+n +b"]);
    ask({ nonce: "3" });
    edit({ a: 1, b: 2, n: 1 });
    expect(answer({ mayRemove: false })).toBe("+a");
  });

  test("is told that something is gone which was on its way when it left all and came back", () => {
    const { ask, answer, edit, subscription } = rig(clusterType, { n: 1 });
    ask({ subscribe: ["*", "n"] });
    answer();
    ask({ nonce: "1" });
    edit({ a: 1, n: 1 });
    expect(answer()).toBe("+a");
    ask({ unsubscribe: ["*"] });
    subscription.expire();
    edit({ n: 2 });
    expect(answer()).toBe("+n");
    subscription.expire();
    expect([ask({ subscribe: ["*"] }), answer()]).toEqual(["asked", "+n -a"]);
  });

  test("gets what went while it had left all and then comes back, although it is as it was", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1, b: 1, n: 1 });
    ask({ subscribe: ["*", "n"] });
    answer();
    ask({ nonce: "1" });
    ask({ unsubscribe: ["*"] });
    edit({ b: 1, n: 1 });
    expect(answer({ mayRemove: false })).toBe("nothing");
    expect([ask({ subscribe: ["*"] }), answer({ mayRemove: false })]).toEqual(["asked", "+n +b"]);
    ask({ nonce: "2" });
    edit({ a: 1, b: 1, n: 1 });
    expect(answer({ mayRemove: false })).toBe("+a");
  });

  test("keeps what is gone until it may go, and loses it then", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1, b: 1 });
    ask({});
    answer();
    ask({ nonce: "1" });
    edit({ b: 2 });
    expect(answer({ mayRemove: false })).toBe("+b");
    ask({ nonce: "2" });
    expect(answer({ mayRemove: false })).toBe("nothing");
    expect(answer({ mayRemove: true })).toBe("-a");
  });

  test("is not sent what comes back as it was before the client was told that it had gone", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1 });
    ask({});
    answer();
    ask({ nonce: "1" });
    edit({ b: 1 });
    expect(answer({ mayRemove: false })).toBe("+b");
    ask({ nonce: "2" });
    edit({ a: 1, b: 2 });
    expect(answer()).toBe("+b");
    ask({ nonce: "3" });
    edit({ a: 2, b: 2 });
    expect(answer()).toBe("+a");
  });
});
