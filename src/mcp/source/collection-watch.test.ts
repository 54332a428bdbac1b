import { describe, expect, test } from "vitest";
import { gateways } from "../../testing/mcp/mcp-source-rig.ts";
import { ResourceSet } from "../../xds/resources/resource-set.ts";
import { CollectionWatch } from "./collection-watch.ts";
import type { SinkRequest } from "./sink-request.ts";

const one = ResourceSet.empty.versioned("1");
const two = ResourceSet.empty.versioned("2");
const nothing = new Map<string, string>();

function request(more: Partial<SinkRequest> = {}): SinkRequest {
  const said = { nodeId: "", collection: gateways, nonce: "", incremental: true, held: nothing, nack: undefined };
  return { ...said, bytes: 0, ...more };
}
const rejected = [{ name: "a", reason: "bad" }];
const nack = { code: 14, message: "no", rejected: [] };

/** A watch that was asked, and has sent the first set with the nonce 1. */
function sentOnce(more: Partial<SinkRequest> = {}): CollectionWatch {
  const watch = new CollectionWatch(gateways, true);
  watch.take(request(more));
  watch.sent("1", one);
  return watch;
}

describe("a watch of a collection", () => {
  test("waits for the answer to its push, and knows the nonce", () => {
    const watch = new CollectionWatch(gateways, true);
    expect(watch.take(request())).toEqual({ type: "subscribed" });
    expect([watch.isDue(one), watch.pending, watch.sentVersion]).toEqual([true, undefined, undefined]);
    watch.sent("1", one);
    expect([watch.isDue(two), watch.pending, watch.sentVersion]).toEqual([false, { nonce: "1", set: one }, "1"]);
  });

  test("accepts an ACK of that nonce once: the version is settled, and the next one is due", () => {
    const watch = sentOnce();
    expect(watch.take(request({ nonce: "2" }))).toEqual({ type: "stale" });
    expect(watch.take(request({ nonce: "1" }))).toEqual({ type: "acked", set: one });
    expect(watch.take(request({ nonce: "1" }))).toEqual({ type: "stale" });
    expect([watch.isDue(one), watch.isDue(two), watch.ackedVersion, watch.nacks]).toEqual([false, true, "1", 0]);
  });

  test("accepts a NACK: the version is settled, not acknowledged, and consecutive NACKs are counted", () => {
    const watch = sentOnce();
    expect(watch.take(request({ nonce: "1", nack }))).toEqual({ type: "nacked", set: one, nack });
    expect([watch.isDue(one), watch.isDue(two), watch.ackedVersion, watch.nacks]).toEqual([false, true, undefined, 1]);
    expect(watch.lastNack).toEqual({ ...nack, version: "1" });
    watch.sent("2", two);
    watch.take(request({ nonce: "2", nack }));
    expect(watch.nacks).toBe(2);
    watch.sent("3", one);
    watch.take(request({ nonce: "3" }));
    expect(watch.nacks).toBe(0);
  });

  test("retries a rejected version, unless another push is pending", () => {
    const watch = sentOnce();
    watch.take(request({ nonce: "1", nack }));
    watch.retry();
    expect(watch.isDue(one)).toBe(true);
    watch.take(request());
    watch.sent("2", one);
    watch.take(request({ nonce: "2", nack }));
    watch.sent("3", two);
    watch.retry();
    watch.take(request({ nonce: "3" }));
    expect([watch.isDue(two), watch.isDue(one)]).toEqual([false, true]);
  });

  test("sends everything again after a new subscription, which is no answer", () => {
    const watch = sentOnce();
    watch.take(request());
    expect([watch.pending, watch.isDue(one), watch.ackedVersion]).toEqual([undefined, true, undefined]);
    expect(watch.take(request({ nonce: "1" }))).toEqual({ type: "stale" });
  });
});

describe("the next push", () => {
  const full = { type: "full" };
  const held = new Map([["a", "1"]]);
  const fromSet = { type: "delta", from: { type: "set", set: one } };

  test("is full at first, and then a delta from the acknowledged state", () => {
    const watch = sentOnce();
    expect(watch.contentOf()).toEqual(full);
    watch.take(request({ nonce: "1" }));
    expect(watch.contentOf()).toEqual(fromSet);
  });

  test("is full if either side does not want deltas", () => {
    const watch = new CollectionWatch(gateways, false);
    watch.take(request({ held }));
    expect(watch.contentOf()).toEqual(full);
    const other = sentOnce();
    other.take(request({ nonce: "1", incremental: false }));
    expect(other.contentOf()).toEqual(full);
    const third = new CollectionWatch(gateways, true);
    third.take(request({ incremental: false, held }));
    expect(third.contentOf()).toEqual(full);
  });

  test("is a delta from the announced versions, only the first time", () => {
    const watch = new CollectionWatch(gateways, true);
    watch.take(request({ held }));
    expect(watch.contentOf()).toEqual({ type: "delta", from: { type: "versions", versions: held } });
    watch.take(request({ held }));
    expect(watch.contentOf()).toEqual(full);
    const late = new CollectionWatch(gateways, true);
    late.take(request());
    late.take(request({ held }));
    expect(late.contentOf()).toEqual(full);
  });

  test("is full after a NACK, but a delta after a partial NACK", () => {
    const watch = sentOnce({ held });
    watch.take(request({ nonce: "1", nack }));
    expect(watch.contentOf()).toEqual(full);
    const partly = sentOnce();
    partly.take(request({ nonce: "1", nack: { ...nack, rejected } }));
    expect(partly.contentOf()).toEqual(fromSet);
  });

  test("is full after a new subscription, whatever was acknowledged before", () => {
    const watch = sentOnce();
    watch.take(request({ nonce: "1" }));
    watch.take(request());
    expect(watch.contentOf()).toEqual(full);
  });
});
