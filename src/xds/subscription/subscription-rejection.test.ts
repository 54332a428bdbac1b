import { describe, expect, test } from "vitest";
import { type Contents, subscriptionRig as rig, versionOf } from "../../testing/envoy/subscription-rig.ts";
import { toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { clusterType, endpointType } from "../type-urls.ts";

test("the error of a rejected response without names stays when the subscription changes", () => {
  const { subscription, send } = rig("delta");
  expect(send({})).toBe("");
  subscription.nack("1", "no");
  subscription.subscribeTo({ names: new Set(["a"]) });
  expect([subscription.rejected.size, subscription.error]).toEqual([0, "no"]);
});

describe("a SotW client with the wildcard", () => {
  test("keeps a rejection despite a late ACK of an overtaken answer", () => {
    const { subscription, send } = rig("sotw");
    send({ a: 1 });
    subscription.nack("1", "no");
    send({ a: 1, b: 1 });
    subscription.stopAwaitingAck();
    send({ a: 1, b: 2 });
    subscription.ack("2");
    expect([[...subscription.rejected.keys()], subscription.state]).toEqual([["a"], "rejected"]);
    subscription.ack("3");
    expect([subscription.rejected.size, subscription.state]).toEqual([0, "synced"]);
  });

  test("cannot reject an answer after it accepted a newer one", () => {
    const { subscription, send } = rig("sotw");
    send({ a: 1 });
    subscription.stopAwaitingAck();
    send({ a: 2 });
    expect([subscription.ack("2"), subscription.nack("1", "no")]).toEqual([true, false]);
  });

  test("keeps the accepted version of a cluster with a held-back removal, not the rejected version", () => {
    const { subscription, accept, send, due } = rig("sotw");
    accept({ a: 1, b: 1 });
    send({ a: 2, b: 1 });
    subscription.stopAwaitingAck();
    expect(send({ b: 2 }, false)).toBe("+a");
    subscription.nack("2", "no a");
    const kept = due({ b: 3 }, false)?.resources.map(({ name, version }) => [name, version]);
    expect(kept).toEqual([["a", versionOf(clusterType, "a", 1)]]);
  });

  test("gets unchanged clusters of a rejected answer as resent, and changed ones as changed", () => {
    const { subscription, accept, send, due } = rig("sotw");
    accept({ a: 1, b: 1 });
    send({ a: 2, b: 2 });
    subscription.nack("2", "no");
    const answer = due({ a: 3, b: 2 });
    expect([answer?.changed, answer?.resent].map((list) => list?.map(({ name }) => name))).toEqual([["a"], ["b"]]);
  });

  test("gets unchanged clusters of an unacknowledged answer as resent", () => {
    const { subscription, send, due } = rig("sotw");
    send({ a: 1 });
    subscription.stopAwaitingAck();
    const answer = due({ a: 1, b: 1 });
    expect([answer?.changed, answer?.resent].map((list) => list?.map(({ name }) => name))).toEqual([["b"], ["a"]]);
  });

  test("that had names before keeps a cluster with a held-back removal", () => {
    const { subscription, accept, send } = rig("sotw", { names: ["a", "b"] });
    accept({ a: 1, b: 1 });
    subscription.subscribeTo({ wildcard: true, names: new Set() });
    expect(send({ b: 2 }, false)).toBe("+a");
  });
});

describe("a rejected name that is removed", () => {
  const added = { a: 1 };

  test("is removed at a delta client after the changes", () => {
    const { subscription, accept, send } = rig("delta");
    accept({ b: 1 });
    send({ ...added, b: 1 });
    subscription.nack("2", "no a");
    expect([accept({ b: 2 }), accept({ b: 2 }), subscription.state]).toEqual(["+b", "-a", "synced"]);
  });

  test("is sent empty to a SotW client if the type has an empty form", () => {
    const { subscription, accept, send } = rig("sotw", { type: toyGenerator(endpointType), names: ["a", "b"] });
    accept({ b: 1 });
    send({ ...added, b: 1 });
    subscription.nack("2", "no a");
    expect([accept({ b: 2 }), accept({ b: 2 }), subscription.state]).toEqual(["+b", "+a", "synced"]);
  });

  test("is forgotten if SotW cannot express its removal", () => {
    const type = { typeUrl: clusterType, shortName: "SDS", sotw: "partial" } as const;
    const { subscription, accept, send } = rig("sotw", { type, names: ["a", "b"] });
    accept({ b: 1 });
    send({ ...added, b: 1 });
    subscription.nack("2", "no a");
    expect(subscription.state).toBe("rejected");
    expect([accept({ b: 2 }), subscription.state, subscription.rejected.size]).toEqual(["+b", "synced", 0]);
  });
});

describe("a delta client that sends a NACK", () => {
  test("gets a removed resource that returns in its rejected version", () => {
    const { subscription, accept, send } = rig("delta");
    accept({ a: 1 });
    send({ a: 2 });
    subscription.stopAwaitingAck();
    send({ b: 1 }, false);
    subscription.nack("2", "no a");
    subscription.ack("3");
    expect(send({ a: 2, b: 1 }, false)).toBe("+a");
  });

  test("gets repeated resources once more, by halves", () => {
    const { subscription, accept, send } = rig("delta", { type: toyGenerator(endpointType), names: ["a", "b"] });
    accept({ a: 1, b: 1 });
    subscription.forceSend(["a", "b"], "clusters_sent");
    expect(send({ a: 1, b: 1 })).toBe("+a +b");
    subscription.nack("2", "no");
    expect([accept({ a: 1, b: 1 }), accept({ a: 1, b: 1 })]).toEqual(["+a", "+b"]);
  });

  test("gets no removal in a retry", () => {
    const { subscription, accept, send } = rig("delta");
    accept({ a: 1, b: 1, c: 1 });
    expect(send({ b: 2, c: 2 }, false)).toBe("+b +c");
    subscription.nack("2", "no");
    expect([accept({ b: 2, c: 2 }, false), accept({ b: 2, c: 2 }, false)]).toEqual(["+b", "+c"]);
  });

  test("gets no retry of an unsubscribed name", () => {
    const { subscription, send } = rig("delta", { type: toyGenerator(endpointType), names: ["a", "b"] });
    send({ a: 1, b: 1 });
    subscription.subscribeTo({ names: new Set(["b"]) });
    subscription.nack("1", "no");
    expect([[...subscription.rejected.keys()], send({ a: 1, b: 1 })]).toEqual([["b"], "+b"]);
  });

  test("gets a retry of the only name that no later answer carried, because others may be bad", () => {
    const { subscription, accept, send } = rig("delta", { type: toyGenerator(endpointType), names: ["a", "b"] });
    accept({ a: 1, b: 1 });
    send({ a: 2, b: 2 });
    subscription.stopAwaitingAck();
    send({ a: 2, b: 3 });
    subscription.nack("2", "no");
    subscription.ack("3");
    expect(send({ a: 2, b: 3 })).toBe("+a");
  });

  test("still gets the forced names after a retry", () => {
    const { subscription, accept, send } = rig("delta", { type: toyGenerator(endpointType), names: ["a", "b", "c"] });
    accept({ a: 1, b: 1, c: 1 });
    const second = { a: 2, b: 2, c: 1 };
    send(second);
    subscription.nack("2", "no");
    subscription.forceSend(["c"], "clusters_sent");
    expect([accept(second), accept(second), accept(second)]).toEqual(["+a", "+c", "+b"]);
  });
});

describe("the repetition reasons of an answer", () => {
  test("are given when nothing in it is new, unless the client requested it", () => {
    const { subscription, due, accept } = rig("delta", { type: toyGenerator(endpointType), names: ["a"] });
    const reasons = (contents: Contents) => {
      const answer = due(contents);
      return answer && subscription.repetitionsIn(answer);
    };
    expect(reasons({ a: 1 })).toEqual([]);
    accept({ a: 1 });
    subscription.forceSend(["a"], "clusters_sent");
    expect(reasons({ a: 1 })).toEqual(["clusters_sent"]);
    expect(reasons({ a: 2 })).toEqual([]);
    subscription.forceSend(["a"], "asked");
    expect(reasons({ a: 1 })).toEqual([]);
    accept({ a: 1 });
    subscription.forceSend(["a"], "clusters_overdue");
    expect(reasons({ a: 1 })).toEqual(["clusters_overdue"]);
  });

  test("are given for a retry, and not for a change that was postponed", () => {
    const { subscription, due, send, accept } = rig("delta", {
      type: toyGenerator(endpointType),
      names: ["a", "b", "c"],
    });
    const reasons = (contents: Contents) => {
      const answer = due(contents);
      return answer && [answer.resources.map(({ name }) => name), subscription.repetitionsIn(answer)];
    };
    accept({ a: 1, b: 1, c: 1 });
    send({ a: 2, b: 2, c: 1 });
    subscription.nack("2", "no");
    expect(reasons({ a: 2, b: 2, c: 1 })).toEqual([["a"], ["rejected_together"]]);
    accept({ a: 2, b: 2, c: 1 });
    expect(accept({ a: 2, b: 3, c: 2 })).toBe("+c");
    expect(reasons({ a: 2, b: 3, c: 2 })).toEqual([["b"], []]);
  });

  test("are not needed for a removal", () => {
    const { due, accept } = rig("delta");
    accept({ a: 1, b: 1 });
    expect(due({ a: 1 })).toMatchObject({ hasChanges: true, removed: ["b"] });
  });
});
