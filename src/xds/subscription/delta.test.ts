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
      const result = receiveDelta(subscription, request, { first, nameSets });
      first = false;
      return result.type;
    },
    /** Sends the due answer: `+name` for each resource, `-name` for each removal, or "nothing". */
    answer: ({ mayRemove = true } = {}) => {
      const answer = subscription.due([set], { mayRemove: () => mayRemove });
      if (answer === undefined) return "nothing";
      subscription.recordSent(String(++nonce), answer, 0);
      return [...answer.resources.map(({ name }) => `+${name}`), ...answer.removed.map((name) => `-${name}`)].join(" ");
    },
  };
}

describe("a delta client", () => {
  test("gets everything at first, then only changes", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1, b: 1 });
    expect([ask({}), answer()]).toEqual(["asked", "+a +b"]);
    expect([ask({ nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    edit({ a: 2, c: 1 });
    expect(answer()).toBe("+a +c -b");
  });

  test("that resumes gets only differences from its held versions, and an answer even if there are none", () => {
    const one = rig(clusterType, { a: 1, b: 1 });
    expect(one.ask({ held: { b: one.version("b"), a: one.version("a") } })).toBe("asked");
    expect(one.answer()).toBe("");
    const other = rig(clusterType, { a: 1, b: 1 });
    other.ask({ held: { a: "old", b: other.version("b"), c: "gone" } });
    expect(other.answer()).toBe("+a -c");
  });

  test("is answered again when it subscribes to a name that it already has", () => {
    const { ask, answer } = rig(endpointType, { a: 1 });
    ask({ subscribe: ["a"] });
    answer();
    ask({ nonce: "1" });
    expect([ask({ subscribe: ["a"] }), answer()]).toEqual(["asked", "+a"]);
  });

  test("gets a removal for a name that does not exist, and the resource once it exists", () => {
    const { ask, answer, edit } = rig(listenerType, {});
    expect([ask({ subscribe: ["a"] }), answer()]).toEqual(["asked", "-a"]);
    ask({ nonce: "1" });
    edit({ a: 1, b: 1 });
    expect(answer()).toBe("+a");
  });

  test("gets no more updates of a name after unsubscribing", () => {
    const { ask, answer, edit } = rig(endpointType, { a: 1, b: 1 });
    ask({ subscribe: ["a", "b"] });
    answer();
    expect([ask({ unsubscribe: ["a"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    edit({ a: 2, b: 2 });
    expect(answer()).toBe("+b");
    expect(ask({ unsubscribe: ["b"], nonce: "2" })).toBe("unsubscribed");
  });

  test("gets a name once more when it unsubscribes from it but keeps the wildcard", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1 });
    ask({ subscribe: ["*", "a"] });
    answer();
    expect([ask({ unsubscribe: ["a"], nonce: "1" }), answer()]).toEqual(["asked", "+a"]);
    expect(ask({ unsubscribe: ["*"], nonce: "2" })).toBe("unsubscribed");
  });

  test("gets everything when it subscribes to the wildcard", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1 });
    ask({ subscribe: ["a"] });
    expect(answer()).toBe("+a");
    expect([ask({ subscribe: ["*"], nonce: "1" }), answer()]).toEqual(["asked", "+a +b"]);
  });

  test("may unsubscribe from a name that it never subscribed to, without effect", () => {
    const { ask, answer, subscription } = rig(endpointType, { a: 1 });
    ask({ subscribe: ["a"] });
    answer();
    expect([ask({ unsubscribe: ["x"], nonce: "1" }), answer(), subscription.state]).toEqual([
      "ack",
      "nothing",
      "synced",
    ]);
  });

  test("acknowledges nothing with a message without a nonce", () => {
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

  test("may have names beside the wildcard, and keeps them when it unsubscribes from the wildcard", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1, b: 1 });
    ask({ subscribe: ["*", "a"] });
    expect(answer()).toBe("+a +b");
    expect([ask({ unsubscribe: ["*"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    edit({ a: 2, b: 2 });
    expect(answer()).toBe("+a");
  });

  test("without any subscription gets nothing", () => {
    const { ask } = rig(clusterType, { a: 1 });
    expect(ask({ subscribe: ["*"], unsubscribe: ["*"] })).toBe("unsubscribed");
  });

  test("subscribes with any nonce, and acknowledges only with the right one", () => {
    const { ask, answer, subscription } = rig(endpointType, { a: 1, b: 1 });
    ask({ subscribe: ["a"] });
    answer();
    expect([ask({ subscribe: ["b"], nonce: "old" }), subscription.inFlight?.nonce]).toEqual(["asked", "1"]);
    expect([ask({ nonce: "old" }), ask({ nonce: "1" })]).toEqual(["stale", "ack"]);
    expect(answer()).toBe("+b");
  });

  test("that left the wildcard during a held-back removal gets the resource when it returns unchanged", () => {
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

  test("gets a removal for a resource in flight while it left the wildcard and subscribed again", () => {
    const { ask, answer, edit, subscription } = rig(clusterType, { n: 1 });
    ask({ subscribe: ["*", "n"] });
    answer();
    ask({ nonce: "1" });
    edit({ a: 1, n: 1 });
    expect(answer()).toBe("+a");
    ask({ unsubscribe: ["*"] });
    subscription.stopAwaitingAck();
    edit({ n: 2 });
    expect(answer()).toBe("+n");
    subscription.stopAwaitingAck();
    expect([ask({ subscribe: ["*"] }), answer()]).toEqual(["asked", "+n -a"]);
  });

  test("that resubscribes to the wildcard gets a resource that was removed meanwhile and returned unchanged", () => {
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

  test("keeps a removed resource until the removal may leave, then loses it", () => {
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

  test("does not get a resource again that returns unchanged before its removal was sent", () => {
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

  test("holds from an earlier stream only the versions in its first request", () => {
    const { ask, answer, edit, version } = rig(clusterType, { a: 1 });
    ask({ held: { a: version("a") } });
    expect(answer()).toBe("");
    edit({ a: 2 });
    ask({ nonce: "1", held: { a: version("a") } });
    expect(answer()).toBe("+a");
    ask({ nonce: "2" });
    edit({ a: 1 });
    expect(answer()).toBe("+a");
  });

  test("that holds as many resources as there are gets those that differ", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    ask({ held: { a: "old" } });
    expect(answer()).toBe("+a");
  });

  test("that holds everything and names a missing resource gets its removal", () => {
    const { ask, answer, version } = rig(clusterType, { a: 1 });
    ask({ subscribe: ["*", "x"], held: { a: version("a") } });
    expect(answer()).toBe("-x");
  });

  test("that holds everything gets the forced names", () => {
    const one = rig(clusterType, { a: 1, b: 1 });
    one.ask({ held: { a: one.version("a"), b: one.version("b") } });
    one.subscription.forceSend(["b"], "clusters_sent");
    expect(one.answer()).toBe("+b");
    const other = rig(clusterType, { a: 1, b: 1 });
    other.ask({ held: { a: other.version("a"), b: other.version("b") } });
    other.subscription.forceSend("all", "clusters_sent");
    expect(other.answer()).toBe("+a +b");
  });

  test("keeps resources of an earlier stream until their removal may leave", () => {
    const { ask, answer } = rig(endpointType, {});
    ask({ subscribe: ["a"], held: { a: "old" } });
    expect(answer({ mayRemove: false })).toBe("");
    expect(answer({ mayRemove: true })).toBe("+a");
  });

  test("gets a resource again unchanged on request, while its removal is held back", () => {
    const { ask, answer, edit, subscription, version } = rig(endpointType, { a: 1, b: 1 });
    const before = version("a");
    ask({ subscribe: ["a", "b"] });
    answer();
    ask({ nonce: "1" });
    edit({ b: 2 });
    expect(answer({ mayRemove: false })).toBe("+b");
    ask({ nonce: "2", subscribe: ["a"] });
    expect(answer({ mayRemove: false })).toBe("+a");
    expect(subscription.inFlight?.answer.resources.map((resource) => resource.version)).toEqual([before]);
  });

  test("without subscriptions in its first request has unsubscribed, with any nonce", () => {
    const { ask } = rig(clusterType, { a: 1 });
    expect(ask({ subscribe: ["*"], unsubscribe: ["*"], nonce: "9" })).toBe("unsubscribed");
  });

  test("is not stale when it unsubscribes from a name without a nonce", () => {
    const { ask, answer } = rig(endpointType, { a: 1 });
    ask({ subscribe: ["a"] });
    answer();
    expect(ask({ unsubscribe: ["x"] })).toBe("ack");
  });

  test("that unsubscribes from and subscribes to the wildcard in one message keeps everything", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1 });
    ask({ subscribe: ["*"] });
    answer();
    expect([ask({ nonce: "1", subscribe: ["*"], unsubscribe: ["*", "a"] }), answer()]).toEqual(["asked", "+a"]);
  });

  test("that left the wildcard and came back holds the resources sent since then", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1, b: 1, n: 1 });
    ask({ subscribe: ["*", "n"] });
    answer();
    ask({ nonce: "1", unsubscribe: ["*"] });
    ask({ subscribe: ["*"] });
    answer();
    ask({ nonce: "2" });
    edit({ b: 2, n: 1 });
    expect(answer({ mayRemove: false })).toBe("+b");
    ask({ nonce: "3" });
    edit({ a: 1, b: 2, n: 1 });
    expect(answer({ mayRemove: false })).toBe("nothing");
  });

  test("that comes back to the wildcard gets changes before retries", () => {
    const { ask, answer, edit } = rig(clusterType, { a: 1, m: 1, n: 1 });
    ask({ subscribe: ["*", "m", "n"] });
    answer();
    ask({ nonce: "1" });
    edit({ a: 1, m: 2, n: 2 });
    answer();
    ask({ nonce: "2", error: "no" });
    ask({ unsubscribe: ["*"] });
    ask({ subscribe: ["*"] });
    expect(answer()).toBe("+a");
  });
});
