import { describe, expect, test } from "vitest";
import { subscriptionRig as rig, versionOf } from "../../testing/envoy/subscription-rig.ts";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { find } from "../resources/target.ts";
import { clusterType, endpointType } from "../type-urls.ts";
import { Subscription } from "./subscription.ts";

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

  test("knows the names that the client asked for since its first answer, until an answer with them is accepted", () => {
    const { subscription, accept } = rig("delta", { names: ["a"] });
    const newNames = () => ["a", "b", "c"].filter((name) => subscription.isNew(name));
    expect(newNames()).toEqual([]);
    accept({ a: 1 });
    subscription.subscribeTo({ names: new Set(["a", "b", "c"]) });
    expect(newNames()).toEqual(["b", "c"]);
    subscription.subscribeTo({ names: new Set(["a", "b"]) });
    expect(newNames()).toEqual(["b"]);
    accept({ a: 1, b: 1 });
    expect(newNames()).toEqual([]);
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

describe("unsubscribed names", () => {
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
