import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { NameSets } from "../resources/name-set.ts";
import { clusterType, endpointType } from "../type-urls.ts";
import { readSotwRequest } from "../wire/request.ts";
import { receiveSotw } from "./sotw.ts";
import { Subscription } from "./subscription.ts";

interface Asked {
  readonly names?: readonly string[];
  readonly nonce?: string;
  readonly error?: string;
}

/** One type of one stream, with what the client says and what is then due. */
function rig(typeUrl: string, contents: Readonly<Record<string, number>>) {
  const subscription = new Subscription(toyGenerator(typeUrl), "sotw");
  const nameSets = new NameSets();
  let first = true;
  let nonce = 0;
  return {
    subscription,
    ask: ({ names = [], nonce: responseNonce = "", error }: Asked) => {
      const errorDetail = error === undefined ? {} : { errorDetail: { code: 3, message: error } };
      const message = create(DiscoveryRequestSchema, {
        typeUrl,
        resourceNames: [...names],
        responseNonce,
        ...errorDetail,
      });
      const request = readSotwRequest(toBinary(DiscoveryRequestSchema, message));
      const outcome = receiveSotw(subscription, request, { first, nameSets, answerRepeats: typeUrl === endpointType });
      first = false;
      return outcome.type;
    },
    /** Sends what is due; its names, or "nothing". */
    answer: () => {
      const answer = subscription.due([setOf(typeUrl, contents)], { mayRemove: () => true });
      if (answer === undefined) return "nothing";
      subscription.sendAs(String(++nonce), answer, 0);
      return answer.whole ? "everything" : answer.resources.map(({ name }) => name).join();
    },
  };
}

describe("a SotW client of clusters", () => {
  test("asks for all with an empty list, and an acknowledgement asks for nothing", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({}), answer()]).toEqual(["asked", "everything"]);
    expect([ask({ nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    expect(ask({ nonce: "1" })).toBe("ack");
  });

  test("may bring a nonce of an earlier stream along in its first request", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({ nonce: "77" }), answer()]).toEqual(["asked", "everything"]);
  });

  test("that speaks of an older response is not heard", () => {
    const { ask, answer, subscription } = rig(clusterType, { a: 1 });
    ask({});
    answer();
    expect([ask({ nonce: "0" }), answer()]).toEqual(["stale", "nothing"]);
    expect(subscription.inFlight?.nonce).toBe("1");
  });

  test("that rejects is not sent the same again, and its reason is kept until it accepts", () => {
    const { ask, answer, subscription } = rig(clusterType, { a: 1 });
    ask({});
    answer();
    expect([ask({ nonce: "1", error: "no" }), answer(), subscription.error]).toEqual(["nack", "nothing", "no"]);
    expect(ask({ nonce: "1", error: "no, really" })).toBe("stale");
    expect([ask({ nonce: "" }), answer()]).toEqual(["asked", "everything"]);
    expect([ask({ nonce: "2" }), subscription.error]).toEqual(["ack", undefined]);
  });

  test("that rejects something of an earlier stream in its first request asks all the same", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({ nonce: "5", error: "no" }), answer()]).toEqual(["asked", "everything"]);
  });

  test("that rejects under an unknown nonce is not answered, so that it cannot make a loop", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({}), answer()]).toEqual(["asked", "everything"]);
    expect([ask({ nonce: "1" }), ask({ nonce: "", error: "no" }), answer()]).toEqual(["ack", "stale", "nothing"]);
  });

  test("may leave with whatever nonce, and an empty list after names never means all again", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1 });
    expect([ask({ names: ["a"] }), answer()]).toEqual(["asked", "a"]);
    expect(ask({ names: [], nonce: "older" })).toBe("unsubscribed");
    expect(ask({ names: [] })).toBe("unsubscribed");
  });

  test("that asked for all by name and then sends an empty list has left", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({ names: ["*"] }), answer()]).toEqual(["asked", "everything"]);
    expect(ask({ names: [], nonce: "1" })).toBe("unsubscribed");
  });

  test("that sends names in another order, or twice, says nothing new", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1 });
    expect([ask({ names: ["a", "b"] }), answer()]).toEqual(["asked", "a,b"]);
    expect([ask({ names: ["b", "a"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    expect([ask({ names: ["b", "a", "b"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
  });

  test("is not asked about versions: only nonces count", () => {
    const { ask, answer, subscription } = rig(clusterType, { a: 1 });
    ask({});
    answer();
    expect([ask({ nonce: "1" }), subscription.ackedNonce]).toEqual(["ack", "1"]);
  });

  test("gets everything it named, and all when it asks for all", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1, c: 1 });
    expect([ask({ names: ["a", "b"] }), answer()]).toEqual(["asked", "a,b"]);
    expect([ask({ names: ["a", "b", "c"], nonce: "1" }), answer()]).toEqual(["asked", "a,b,c"]);
    expect([ask({ names: ["*"], nonce: "2" }), answer()]).toEqual(["ack", "everything"]);
    expect([ask({ names: ["a"], nonce: "3" }), answer()]).toEqual(["asked", "a"]);
    expect(ask({ names: [], nonce: "4" })).toBe("unsubscribed");
  });
});

describe("a SotW client of endpoints", () => {
  test("gets what it added, and nothing for what it dropped", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    expect([ask({ names: ["a"] }), answer()]).toEqual(["asked", "a"]);
    expect([ask({ names: ["a", "b"], nonce: "1" }), answer()]).toEqual(["asked", "b"]);
    expect([ask({ names: ["b"], nonce: "2" }), answer()]).toEqual(["ack", "nothing"]);
    expect(ask({ names: [], nonce: "2" })).toBe("unsubscribed");
  });

  test("gets a name that it asks for while it rejects, and not once more what it rejected", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    expect([ask({ names: ["a"] }), answer()]).toEqual(["asked", "a"]);
    expect([ask({ names: ["a", "b"], nonce: "1", error: "no" }), answer()]).toEqual(["nack", "b"]);
    expect([ask({ names: ["a", "b"], nonce: "2" }), answer()]).toEqual(["ack", "nothing"]);
  });

  test("asks for nothing by the names of a rejection that a newer response overtook", () => {
    const { ask, answer, subscription } = rig(endpointType, { a: 1, b: 1 });
    ask({ names: ["a"] });
    answer();
    subscription.expire();
    subscription.owe(["a"], "asked");
    expect(answer()).toBe("a");
    expect([ask({ names: ["a", "b"], nonce: "1", error: "no" }), answer()]).toEqual(["nack", "nothing"]);
    expect([ask({ names: ["a", "b"], nonce: "2" }), answer()]).toEqual(["asked", "b"]);
  });

  test("accepts a response by its nonce also when a newer one has overtaken it", () => {
    const { ask, answer, subscription } = rig(endpointType, { a: 1 });
    ask({ names: ["a"] });
    answer();
    subscription.expire();
    subscription.owe(["a"], "asked");
    answer();
    expect([ask({ names: ["a"], nonce: "1" }), subscription.ackedNonce, subscription.state]).toEqual([
      "ack",
      "1",
      "stale",
    ]);
  });

  test("that begins with no names at all asks for nothing", () => {
    expect(rig(endpointType, { a: 1 }).ask({ names: [] })).toBe("unsubscribed");
  });

  test("that drops a name and asks for another gets that one", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    expect([ask({ names: ["a"] }), answer()]).toEqual(["asked", "a"]);
    expect([ask({ names: ["b"], nonce: "1" }), answer()]).toEqual(["asked", "b"]);
    expect([ask({ names: ["a", "b"], nonce: "2" }), answer()]).toEqual(["asked", "a"]);
  });

  test("gets an empty answer for a name that is not there", () => {
    const { ask, answer, subscription } = rig(endpointType, {});
    expect([ask({ names: ["gone"] }), answer()]).toEqual(["asked", "gone"]);
    expect(subscription.inFlight?.answer.removed).toEqual([]);
  });

  test("is answered in full when it repeats names it has already acknowledged, in whatever order", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    ask({ names: ["a", "b"] });
    answer();
    expect([ask({ names: ["a", "b"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    expect([ask({ names: ["a", "b"], nonce: "1" }), answer()]).toEqual(["asked", "a,b"]);
    expect([ask({ names: ["b", "a"], nonce: "2" }), answer()]).toEqual(["ack", "nothing"]);
    expect([ask({ names: ["b", "a"], nonce: "2" }), answer()]).toEqual(["asked", "a,b"]);
  });
});
