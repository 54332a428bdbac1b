import { describe, expect, test } from "vitest";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import type { Mode } from "../mode.ts";
import type { ResourceType } from "../resource-type.ts";
import { find } from "../resources/target.ts";
import { clusterType, endpointType } from "../type-urls.ts";
import { Subscription } from "./subscription.ts";

type Contents = Readonly<Record<string, number>>;

interface RigOptions {
  readonly type?: ResourceType;
  readonly names?: readonly string[];
}

/**
 * A client of one type with these names, or with the wildcard. Each answer is `+a -b`, with retained versions marked.
 */
function rig(mode: Mode, { type = toyGenerator(clusterType), names }: RigOptions = {}) {
  const subscription = new Subscription(type, mode);
  subscription.subscribeTo(names === undefined ? { wildcard: true } : { names: new Set(names) });
  let nonce = 0;
  const due = (contents: Contents, mayRemove = true) =>
    subscription.due([setOf(type.typeUrl, contents)], { mayRemove: () => mayRemove });
  const send = (contents: Contents, mayRemove = true) => {
    const answer = due(contents, mayRemove);
    if (answer === undefined) return "nothing";
    subscription.recordSent(String(++nonce), answer, 100 * nonce);
    return [...answer.resources.map(({ name }) => `+${name}`), ...answer.removed.map((name) => `-${name}`)].join(" ");
  };
  const accept = (contents: Contents, mayRemove = true) => {
    const text = send(contents, mayRemove);
    subscription.ack(subscription.sentNonce);
    return text;
  };
  return { subscription, due, send, accept };
}

const versionOf = (typeUrl: string, name: string, revision: number) =>
  setOf(typeUrl, { [name]: revision }).get(name)?.version;

describe("a subscription", () => {
  test("begins with nothing subscribed, sent or awaited", () => {
    const subscription = new Subscription(toyGenerator(clusterType), "delta");
    const { state, sentNonce, ackedNonce, answered, awaitsAck, blocked, sentAt } = subscription;
    expect([state, sentNonce, ackedNonce, sentAt]).toEqual(["not sent", "", "", undefined]);
    expect([answered, awaitsAck, blocked, subscription.settled([])]).toEqual([false, false, false, false]);
  });

  test("has names or the wildcard", () => {
    const { subscription } = rig("delta", { names: ["a"] });
    expect([subscription.asked, subscription.wants("a"), subscription.wants("b")]).toEqual([
      new Set(["a"]),
      true,
      false,
    ]);
    subscription.subscribeTo({ wildcard: true });
    expect([subscription.asked, subscription.wants("b")]).toEqual(["all", true]);
  });

  test("keeps the fields that a change does not give", () => {
    const { subscription } = rig("sotw", { names: ["a"] });
    subscription.subscribeTo({ namesHash: 7n });
    subscription.subscribeTo({ wildcard: true });
    const { names, namesHash, legacyWildcard, wildcard } = subscription;
    expect([names, namesHash, legacyWildcard, wildcard]).toEqual([new Set(["a"]), 7n, true, true]);
  });

  test("has no legacy wildcard if its type lists only named resources", () => {
    const { legacyWildcard } = new Subscription(toyGenerator(endpointType), "sotw");
    expect(legacyWildcard).toBe(false);
  });

  test("is blocked from a response until its ACK or NACK, or until that is overdue", () => {
    const { subscription, send } = rig("delta");
    send({ a: 1 });
    const now = () => [subscription.state, subscription.awaitsAck, subscription.blocked];
    expect([now(), subscription.sentAt]).toEqual([["stale", true, true], 100]);
    subscription.stopAwaitingAck();
    expect([now(), subscription.inFlight?.nonce]).toEqual([["stale", false, false], "1"]);
    send({ a: 2 });
    expect(now()).toEqual(["stale", true, true]);
    subscription.ack("2");
    expect([now(), subscription.inFlight]).toEqual([["synced", false, false], undefined]);
  });

  test("without flow control awaits the acknowledgement, and is not blocked", () => {
    const subscription = new Subscription(toyGenerator(clusterType), "delta", { flowControl: false });
    const answer = subscription.due([], { mayRemove: () => true });
    if (answer !== undefined) subscription.recordSent("1", answer, 0);
    expect([subscription.awaitsAck, subscription.blocked]).toEqual([true, false]);
  });

  test("of a type that is never acknowledged remembers only the newest response", () => {
    const { subscription, send } = rig("delta", { type: { ...toyGenerator(clusterType), neverAcknowledged: true } });
    send({ a: 1 });
    send({ a: 2 });
    expect([subscription.awaitsAck, subscription.blocked]).toEqual([false, false]);
    expect([subscription.ack("1"), subscription.ack("2")]).toEqual([false, true]);
  });

  test("computes nothing while all parts are unchanged, and an answer when one changes", () => {
    const { subscription, accept } = rig("delta");
    const [a, b, c] = [{ a: 1 }, { b: 1 }, { b: 2 }].map((contents) => setOf(clusterType, contents));
    accept({ a: 1 });
    const target = [a, b].filter((set) => set !== undefined);
    const answer = subscription.due(target, { mayRemove: () => true });
    if (answer !== undefined) subscription.recordSent("2", answer, 0);
    const { computed } = subscription;
    expect([subscription.due(target, { mayRemove: () => true }), subscription.computed]).toEqual([undefined, computed]);
    const next = [a, c].filter((set) => set !== undefined);
    const changed = subscription.due(next, { mayRemove: () => true })?.resources.map(({ name }) => name);
    expect([changed, subscription.computed]).toEqual([["b"], computed + 1]);
  });

  test("is due when its target loses a part", () => {
    const { subscription, accept } = rig("delta");
    accept({});
    const parts = [{ a: 1 }, { b: 1 }].map((contents) => setOf(clusterType, contents));
    const answer = subscription.due(parts, { mayRemove: () => true });
    if (answer !== undefined) subscription.recordSent("2", answer, 0);
    expect(subscription.due(parts.slice(0, 1), { mayRemove: () => true })?.removed).toEqual(["b"]);
  });

  test("shows the target of the acknowledged response, not that of a newer one", () => {
    const { subscription, send } = rig("delta");
    send({ a: 1 });
    subscription.stopAwaitingAck();
    send({ a: 2 });
    subscription.ack("1");
    expect(find(subscription.acked, "a")?.version).toBe(versionOf(clusterType, "a", 1));
    expect(find(subscription.sent, "a")?.version).toBe(versionOf(clusterType, "a", 2));
  });

  test("ignores forced names without a subscription", () => {
    const { subscription, send } = rig("delta", { type: toyGenerator(endpointType), names: ["a"] });
    send({ a: 1, b: 1 });
    subscription.forceSend(["b"], "clusters_sent");
    expect(send({ a: 1, b: 1 })).toBe("nothing");
    subscription.forceSend(["a", "b"], "clusters_sent");
    expect(send({ a: 1, b: 1 })).toBe("+a");
  });

  test("answers a client that requests everything again, even if nothing exists", () => {
    const { subscription, accept } = rig("delta");
    accept({});
    expect(accept({})).toBe("nothing");
    subscription.forceSend("all", "asked");
    expect(accept({})).toBe("");
  });
});

describe("a settled subscription", () => {
  test("needs a first answer, and no answer is computed to find that out", () => {
    const { subscription } = rig("delta");
    expect([subscription.settled([setOf(clusterType, { a: 1 })]), subscription.computed]).toEqual([false, 0]);
  });

  test("was answered and accepted, with no rejection left", () => {
    const { subscription, send } = rig("delta");
    const target = [setOf(clusterType, { a: 1 })];
    send({ a: 1 });
    expect(subscription.settled(target)).toBe(false);
    subscription.nack("1", "no");
    expect(subscription.settled(target)).toBe(false);
    send({ a: 2 });
    subscription.ack("2");
    expect(subscription.settled([setOf(clusterType, { a: 2 })])).toBe(true);
    expect(subscription.settled(target)).toBe(false);
  });

  test("has no held-back removal", () => {
    const { subscription, accept } = rig("delta");
    accept({ a: 1, b: 1 });
    accept({ b: 2 }, false);
    expect(subscription.settled([setOf(clusterType, { b: 2 })])).toBe(false);
  });
});

describe("names that a client unsubscribes from", () => {
  test("are no longer rejected, and the error is cleared with the last of them", () => {
    const { subscription, send } = rig("delta", { type: toyGenerator(endpointType), names: ["a", "b", "c"] });
    send({ a: 1, b: 1 });
    subscription.nack("1", "no");
    subscription.subscribeTo({ names: new Set(["b", "c"]) });
    expect([[...subscription.rejected.keys()], subscription.error]).toEqual([["b", "c"], "no"]);
    subscription.subscribeTo({ names: new Set(["c"]) });
    subscription.subscribeTo({ names: new Set() });
    expect([subscription.rejected.size, subscription.error]).toEqual([0, undefined]);
  });
});

describe("a delta client that adds the wildcard", () => {
  test("gets no second removal of a resource in flight, if it never unsubscribed from the wildcard", () => {
    const { subscription, send } = rig("delta", { names: ["a"] });
    send({ a: 1 });
    subscription.stopAwaitingAck();
    expect(send({})).toBe("-a");
    subscription.subscribeTo({ wildcard: true });
    expect(send({})).toBe("nothing");
  });

  test.each(["in flight", "accepted"])("keeps the known version of a named resource that was %s", (state) => {
    const { subscription, send, accept } = rig("delta", { names: ["a"] });
    subscription.subscribeTo({ wildcard: true });
    if (state === "accepted") accept({ a: 1, b: 1 });
    else send({ a: 1, b: 1 });
    subscription.stopAwaitingAck();
    send({ b: 2 }, false);
    subscription.subscribeTo({ wildcard: false });
    subscription.subscribeTo({ wildcard: true });
    expect(send({ a: 1, b: 2 }, false)).toBe("nothing");
  });
});

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
