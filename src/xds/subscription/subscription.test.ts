import { describe, expect, test } from "vitest";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import type { Mode } from "../mode.ts";
import type { ResourceType } from "../resource-type.ts";
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
  subscription.want(names === undefined ? { wildcard: true } : { names: new Set(names) });
  let nonce = 0;
  const due = (contents: Contents, mayRemove = true) =>
    subscription.due([setOf(type.typeUrl, contents)], { mayRemove: () => mayRemove });
  const send = (contents: Contents, mayRemove = true) => {
    const answer = due(contents, mayRemove);
    if (answer === undefined) return "nothing";
    subscription.sendAs(String(++nonce), answer, 100 * nonce);
    return [...answer.resources.map(({ name }) => `+${name}`), ...answer.removed.map((name) => `-${name}`)].join(" ");
  };
  const accept = (contents: Contents, mayRemove = true) => {
    const text = send(contents, mayRemove);
    subscription.judge(subscription.sentNonce, undefined);
    return text;
  };
  return { subscription, due, send, accept };
}

const versionOf = (typeUrl: string, name: string, revision: number) =>
  setOf(typeUrl, { [name]: revision }).get(name)?.version;

describe("a subscription", () => {
  test("begins with nothing subscribed, sent or awaited", () => {
    const subscription = new Subscription(toyGenerator(clusterType), "delta");
    const { state, sentNonce, ackedNonce, answered, unanswered, blocked, sentAt } = subscription;
    expect([state, sentNonce, ackedNonce, sentAt]).toEqual(["not sent", "", "", undefined]);
    expect([answered, unanswered, blocked, subscription.settled([])]).toEqual([false, false, false, false]);
  });

  test("has names or the wildcard", () => {
    const { subscription } = rig("delta", { names: ["a"] });
    expect([subscription.asked, subscription.wants("a"), subscription.wants("b")]).toEqual([
      new Set(["a"]),
      true,
      false,
    ]);
    subscription.want({ wildcard: true });
    expect([subscription.asked, subscription.wants("b")]).toEqual(["all", true]);
  });

  test("is blocked from a response until its ACK or NACK, or until that is overdue", () => {
    const { subscription, send } = rig("delta");
    send({ a: 1 });
    const now = () => [subscription.state, subscription.unanswered, subscription.blocked];
    expect([now(), subscription.sentAt]).toEqual([["stale", true, true], 100]);
    subscription.expire();
    expect([now(), subscription.inFlight?.nonce]).toEqual([["stale", false, false], "1"]);
    send({ a: 2 });
    expect(now()).toEqual(["stale", true, true]);
    subscription.judge("2", undefined);
    expect([now(), subscription.inFlight]).toEqual([["synced", false, false], undefined]);
  });

  test("without flow control awaits the acknowledgement, and is not blocked", () => {
    const subscription = new Subscription(toyGenerator(clusterType), "delta", { flowControl: false });
    const answer = subscription.due([], { mayRemove: () => true });
    if (answer !== undefined) subscription.sendAs("1", answer, 0);
    expect([subscription.unanswered, subscription.blocked]).toEqual([true, false]);
  });

  test("of a type that is never acknowledged remembers only the newest response", () => {
    const { subscription, send } = rig("delta", { type: { ...toyGenerator(clusterType), neverAcknowledged: true } });
    send({ a: 1 });
    send({ a: 2 });
    expect([subscription.unanswered, subscription.blocked]).toEqual([false, false]);
    expect([subscription.judge("1", undefined), subscription.judge("2", undefined)]).toEqual(["stale", "ack"]);
  });

  test("computes nothing while all parts are unchanged, and an answer when one changes", () => {
    const { subscription, accept } = rig("delta");
    const [a, b, c] = [{ a: 1 }, { b: 1 }, { b: 2 }].map((contents) => setOf(clusterType, contents));
    accept({ a: 1 });
    const target = [a, b].filter((set) => set !== undefined);
    const answer = subscription.due(target, { mayRemove: () => true });
    if (answer !== undefined) subscription.sendAs("2", answer, 0);
    const { computed } = subscription;
    expect([subscription.due(target, { mayRemove: () => true }), subscription.computed]).toEqual([undefined, computed]);
    const next = [a, c].filter((set) => set !== undefined);
    const changed = subscription.due(next, { mayRemove: () => true })?.resources.map(({ name }) => name);
    expect([changed, subscription.computed]).toEqual([["b"], computed + 1]);
  });

  test("owes nothing for names without a subscription", () => {
    const { subscription, send } = rig("delta", { type: toyGenerator(endpointType), names: ["a"] });
    send({ a: 1, b: 1 });
    subscription.owe(["b"], "clusters_sent");
    expect(send({ a: 1, b: 1 })).toBe("nothing");
    subscription.owe(["a", "b"], "clusters_sent");
    expect(send({ a: 1, b: 1 })).toBe("+a");
  });

  test("answers a client that requests everything again, even if nothing exists", () => {
    const { subscription, accept } = rig("delta");
    accept({});
    expect(accept({})).toBe("nothing");
    subscription.owe("all", "asked");
    expect(accept({})).toBe("");
  });
});

describe("a settled subscription", () => {
  test("was answered and accepted, with no rejection left", () => {
    const { subscription, send } = rig("delta");
    const target = [setOf(clusterType, { a: 1 })];
    send({ a: 1 });
    expect(subscription.settled(target)).toBe(false);
    subscription.judge("1", "no");
    expect(subscription.settled(target)).toBe(false);
    send({ a: 2 });
    subscription.judge("2", undefined);
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
    subscription.judge("1", "no");
    subscription.want({ names: new Set(["b", "c"]) });
    expect([[...subscription.rejected.keys()], subscription.error]).toEqual([["b", "c"], "no"]);
    subscription.want({ names: new Set(["c"]) });
    subscription.want({ names: new Set() });
    expect([subscription.rejected.size, subscription.error]).toEqual([0, undefined]);
  });
});

describe("a SotW client with the wildcard", () => {
  test("keeps a rejection despite a late ACK of an overtaken answer", () => {
    const { subscription, send } = rig("sotw");
    send({ a: 1 });
    subscription.judge("1", "no");
    send({ a: 1, b: 1 });
    subscription.expire();
    send({ a: 1, b: 2 });
    subscription.judge("2", undefined);
    expect([[...subscription.rejected.keys()], subscription.state]).toEqual([["a"], "rejected"]);
    subscription.judge("3", undefined);
    expect([subscription.rejected.size, subscription.state]).toEqual([0, "synced"]);
  });

  test("is ignored for answers that were overtaken by an accepted one", () => {
    const { subscription, send } = rig("sotw");
    send({ a: 1 });
    subscription.expire();
    send({ a: 2 });
    expect([subscription.judge("2", undefined), subscription.judge("1", "no")]).toEqual(["ack", "stale"]);
  });

  test("keeps the accepted version of a cluster with a held-back removal, not the rejected version", () => {
    const { subscription, accept, send, due } = rig("sotw");
    accept({ a: 1, b: 1 });
    send({ a: 2, b: 1 });
    subscription.expire();
    expect(send({ b: 2 }, false)).toBe("+a");
    subscription.judge("2", "no a");
    const kept = due({ b: 3 }, false)?.resources.map(({ name, version }) => [name, version]);
    expect(kept).toEqual([["a", versionOf(clusterType, "a", 1)]]);
  });

  test("gets unchanged clusters of a rejected answer as resent, and changed ones as changed", () => {
    const { subscription, accept, send, due } = rig("sotw");
    accept({ a: 1, b: 1 });
    send({ a: 2, b: 2 });
    subscription.judge("2", "no");
    const answer = due({ a: 3, b: 2 });
    expect([answer?.changed, answer?.resent].map((list) => list?.map(({ name }) => name))).toEqual([["a"], ["b"]]);
  });

  test("that had names before keeps a cluster with a held-back removal", () => {
    const { subscription, accept, send } = rig("sotw", { names: ["a", "b"] });
    accept({ a: 1, b: 1 });
    subscription.want({ wildcard: true, names: new Set() });
    expect(send({ b: 2 }, false)).toBe("+a");
  });
});

describe("a rejected name that is removed", () => {
  const news = { a: 1 };

  test("is removed at a delta client after the changes", () => {
    const { subscription, accept, send } = rig("delta");
    accept({ b: 1 });
    send({ ...news, b: 1 });
    subscription.judge("2", "no a");
    expect([accept({ b: 2 }), accept({ b: 2 }), subscription.state]).toEqual(["+b", "-a", "synced"]);
  });

  test("is sent empty to a SotW client if the type has an empty form", () => {
    const { subscription, accept, send } = rig("sotw", { type: toyGenerator(endpointType), names: ["a", "b"] });
    accept({ b: 1 });
    send({ ...news, b: 1 });
    subscription.judge("2", "no a");
    expect([accept({ b: 2 }), accept({ b: 2 }), subscription.state]).toEqual(["+b", "+a", "synced"]);
  });

  test("is forgotten if SotW cannot express its removal", () => {
    const type = { typeUrl: clusterType, shortName: "SDS", sotw: "partial" } as const;
    const { subscription, accept, send } = rig("sotw", { type, names: ["a", "b"] });
    accept({ b: 1 });
    send({ ...news, b: 1 });
    subscription.judge("2", "no a");
    expect(subscription.state).toBe("rejected");
    expect([accept({ b: 2 }), subscription.state, subscription.rejected.size]).toEqual(["+b", "synced", 0]);
  });
});

describe("a delta client that sends a NACK", () => {
  test("gets a removed resource that returns in its rejected version", () => {
    const { subscription, accept, send } = rig("delta");
    accept({ a: 1 });
    send({ a: 2 });
    subscription.expire();
    send({ b: 1 }, false);
    subscription.judge("2", "no a");
    subscription.judge("3", undefined);
    expect(send({ a: 2, b: 1 }, false)).toBe("+a");
  });

  test("gets repeated resources once more, by halves", () => {
    const { subscription, accept, send } = rig("delta", { type: toyGenerator(endpointType), names: ["a", "b"] });
    accept({ a: 1, b: 1 });
    subscription.owe(["a", "b"], "clusters_sent");
    expect(send({ a: 1, b: 1 })).toBe("+a +b");
    subscription.judge("2", "no");
    expect([accept({ a: 1, b: 1 }), accept({ a: 1, b: 1 })]).toEqual(["+a", "+b"]);
  });

  test("gets no removal in a retry", () => {
    const { subscription, accept, send } = rig("delta");
    accept({ a: 1, b: 1, c: 1 });
    expect(send({ b: 2, c: 2 }, false)).toBe("+b +c");
    subscription.judge("2", "no");
    expect([accept({ b: 2, c: 2 }, false), accept({ b: 2, c: 2 }, false)]).toEqual(["+b", "+c"]);
  });

  test("still gets the owed names after a retry", () => {
    const { subscription, accept, send } = rig("delta", { type: toyGenerator(endpointType), names: ["a", "b", "c"] });
    accept({ a: 1, b: 1, c: 1 });
    const second = { a: 2, b: 2, c: 1 };
    send(second);
    subscription.judge("2", "no");
    subscription.owe(["c"], "clusters_sent");
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
    subscription.owe(["a"], "clusters_sent");
    expect(reasons({ a: 1 })).toEqual(["clusters_sent"]);
    expect(reasons({ a: 2 })).toEqual([]);
    subscription.owe(["a"], "asked");
    expect(reasons({ a: 1 })).toEqual([]);
    accept({ a: 1 });
    subscription.owe(["a"], "clusters_overdue");
    expect(reasons({ a: 1 })).toEqual(["clusters_overdue"]);
  });

  test("are not needed for a removal", () => {
    const { due, accept } = rig("delta");
    accept({ a: 1, b: 1 });
    expect(due({ a: 1 })).toMatchObject({ news: true, removed: ["b"] });
  });
});
