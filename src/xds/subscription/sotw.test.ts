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

/** One type of one stream: sends requests of the client, and the due answers. */
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
      const result = receiveSotw(subscription, request, { first, nameSets, answerRepeats: typeUrl === endpointType });
      first = false;
      return result.type;
    },
    /** Sends the due answer. Returns its names, or "nothing". */
    answer: () => {
      const answer = subscription.due([setOf(typeUrl, contents)], { mayRemove: () => true });
      if (answer === undefined) return "nothing";
      subscription.recordSent(String(++nonce), answer, 0);
      return answer.whole ? "everything" : answer.resources.map(({ name }) => name).join();
    },
  };
}

describe("a SotW client of clusters", () => {
  test("subscribes to everything with an empty list, and an acknowledgement requests nothing", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({}), answer()]).toEqual(["asked", "everything"]);
    expect([ask({ nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    expect(ask({ nonce: "1" })).toBe("ack");
  });

  test("may send a nonce of an earlier stream in its first request", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({ nonce: "77" }), answer()]).toEqual(["asked", "everything"]);
  });

  test("with a stale nonce is ignored", () => {
    const { ask, answer, subscription } = rig(clusterType, { a: 1 });
    ask({});
    answer();
    expect([ask({ nonce: "0" }), answer()]).toEqual(["stale", "nothing"]);
    expect(subscription.inFlight?.nonce).toBe("1");
  });

  test("that sends a NACK does not get the same again, and the reason is kept until it accepts", () => {
    const { ask, answer, subscription } = rig(clusterType, { a: 1 });
    ask({});
    answer();
    expect([ask({ nonce: "1", error: "no" }), answer(), subscription.error]).toEqual(["nack", "nothing", "no"]);
    expect(ask({ nonce: "1", error: "no, really" })).toBe("stale");
    expect([ask({ nonce: "" }), answer()]).toEqual(["asked", "everything"]);
    expect([ask({ nonce: "2" }), subscription.error]).toEqual(["ack", undefined]);
  });

  test("that rejects a response of an earlier stream in its first request still subscribes", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({ nonce: "5", error: "no" }), answer()]).toEqual(["asked", "everything"]);
  });

  test("that sends a NACK with an unknown nonce gets no answer, so that it cannot cause a loop", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({}), answer()]).toEqual(["asked", "everything"]);
    expect([ask({ nonce: "1" }), ask({ nonce: "", error: "no" }), answer()]).toEqual(["ack", "stale", "nothing"]);
  });

  test("may unsubscribe with any nonce, and an empty list after names is never a wildcard again", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1 });
    expect([ask({ names: ["a"] }), answer()]).toEqual(["asked", "a"]);
    expect(ask({ names: [], nonce: "older" })).toBe("unsubscribed");
    expect(ask({ names: [] })).toBe("unsubscribed");
  });

  test("that subscribed to the wildcard by name and then sends an empty list has unsubscribed", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({ names: ["*"] }), answer()]).toEqual(["asked", "everything"]);
    expect(ask({ names: [], nonce: "1" })).toBe("unsubscribed");
  });

  test("that sends the same names in another order, or twice, changes nothing", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1 });
    expect([ask({ names: ["a", "b"] }), answer()]).toEqual(["asked", "a,b"]);
    expect([ask({ names: ["b", "a"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    expect([ask({ names: ["b", "a", "b"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
  });

  test("that names a missing cluster gets the others", () => {
    const { ask, answer } = rig(clusterType, { a: 1 });
    expect([ask({ names: ["a", "missing"] }), answer()]).toEqual(["asked", "a"]);
  });

  test("acknowledges by nonces only, not by versions", () => {
    const { ask, answer, subscription } = rig(clusterType, { a: 1 });
    ask({});
    answer();
    expect([ask({ nonce: "1" }), subscription.ackedNonce]).toEqual(["ack", "1"]);
  });

  test("gets everything it named, and everything there is with a wildcard", () => {
    const { ask, answer } = rig(clusterType, { a: 1, b: 1, c: 1 });
    expect([ask({ names: ["a", "b"] }), answer()]).toEqual(["asked", "a,b"]);
    expect([ask({ names: ["a", "b", "c"], nonce: "1" }), answer()]).toEqual(["asked", "a,b,c"]);
    expect([ask({ names: ["*"], nonce: "2" }), answer()]).toEqual(["ack", "everything"]);
    expect([ask({ names: ["a"], nonce: "3" }), answer()]).toEqual(["asked", "a"]);
    expect(ask({ names: [], nonce: "4" })).toBe("unsubscribed");
  });
});

describe("a SotW client of endpoints", () => {
  test("gets added names, and nothing for dropped names", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    expect([ask({ names: ["a"] }), answer()]).toEqual(["asked", "a"]);
    expect([ask({ names: ["a", "b"], nonce: "1" }), answer()]).toEqual(["asked", "b"]);
    expect([ask({ names: ["b"], nonce: "2" }), answer()]).toEqual(["ack", "nothing"]);
    expect(ask({ names: [], nonce: "2" })).toBe("unsubscribed");
  });

  test("gets a name that it adds in a NACK, and not the rejected resource again", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    expect([ask({ names: ["a"] }), answer()]).toEqual(["asked", "a"]);
    expect([ask({ names: ["a", "b"], nonce: "1", error: "no" }), answer()]).toEqual(["nack", "b"]);
    expect([ask({ names: ["a", "b"], nonce: "2" }), answer()]).toEqual(["ack", "nothing"]);
  });

  test("requests nothing with the names of a NACK that a newer response overtook", () => {
    const { ask, answer, subscription } = rig(endpointType, { a: 1, b: 1 });
    ask({ names: ["a"] });
    answer();
    subscription.stopAwaitingAck();
    subscription.forceSend(["a"], "asked");
    expect(answer()).toBe("a");
    expect([ask({ names: ["a", "b"], nonce: "1", error: "no" }), answer()]).toEqual(["nack", "nothing"]);
    expect([ask({ names: ["a", "b"], nonce: "2" }), answer()]).toEqual(["asked", "b"]);
  });

  test("accepts a response by its nonce, even after a newer response has left", () => {
    const { ask, answer, subscription } = rig(endpointType, { a: 1 });
    ask({ names: ["a"] });
    answer();
    subscription.stopAwaitingAck();
    subscription.forceSend(["a"], "asked");
    answer();
    expect([ask({ names: ["a"], nonce: "1" }), subscription.ackedNonce, subscription.state]).toEqual([
      "ack",
      "1",
      "stale",
    ]);
  });

  test("that begins without names subscribes to nothing", () => {
    expect(rig(endpointType, { a: 1 }).ask({ names: [] })).toBe("unsubscribed");
  });

  test("that drops a name and adds another gets the added one", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    expect([ask({ names: ["a"] }), answer()]).toEqual(["asked", "a"]);
    expect([ask({ names: ["b"], nonce: "1" }), answer()]).toEqual(["asked", "b"]);
    expect([ask({ names: ["a", "b"], nonce: "2" }), answer()]).toEqual(["asked", "a"]);
  });

  test("gets an empty resource for a missing name", () => {
    const { ask, answer, subscription } = rig(endpointType, {});
    expect([ask({ names: ["gone"] }), answer()]).toEqual(["asked", "gone"]);
    expect(subscription.inFlight?.answer.removed).toEqual([]);
  });

  test("gets everything when it repeats names that it already acknowledged, in any order", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    ask({ names: ["a", "b"] });
    answer();
    expect([ask({ names: ["a", "b"], nonce: "1" }), answer()]).toEqual(["ack", "nothing"]);
    expect([ask({ names: ["a", "b"], nonce: "1" }), answer()]).toEqual(["asked", "a,b"]);
    expect([ask({ names: ["b", "a"], nonce: "2" }), answer()]).toEqual(["ack", "nothing"]);
    expect([ask({ names: ["b", "a"], nonce: "2" }), answer()]).toEqual(["asked", "a,b"]);
  });

  test("gets everything when it repeats acknowledged names in another order", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    ask({ names: ["a", "b"] });
    answer();
    ask({ names: ["a", "b"], nonce: "1" });
    expect([ask({ names: ["b", "a"], nonce: "1" }), answer()]).toEqual(["asked", "a,b"]);
  });

  test("that starts again without a nonce gets the requested names, and no others", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    ask({ names: ["a"] });
    answer();
    ask({ names: ["a"], nonce: "1" });
    expect([ask({ names: ["a"] }), answer()]).toEqual(["asked", "a"]);
  });

  test("without an answer so far may request other names, with or without a nonce", () => {
    const { ask, answer } = rig(endpointType, { a: 1, b: 1 });
    expect([ask({ names: ["a"] }), ask({ names: ["b"], nonce: "old" }), answer()]).toEqual(["asked", "asked", "b"]);
  });

  test("may unsubscribe with a NACK of an older response", () => {
    const { ask, answer } = rig(endpointType, { a: 1 });
    ask({ names: ["a"] });
    answer();
    expect(ask({ names: [], nonce: "old", error: "no" })).toBe("unsubscribed");
  });
});
