import { describe, expect, test } from "vitest";
import type { GrpcStream, GrpcStreamHandler } from "../../../lib/grpc/grpc-stream.ts";
import { GrpcStatus, type Peer } from "../../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { PeerLimits } from "./peer-limits.ts";

const silent = { onMessage: () => {}, onFlushed: () => {}, onClose: () => {} };

/** Attaches to one more stream of a peer; the result ends it. */
function open(limits: PeerLimits, peer: Peer): () => void {
  let attached: GrpcStreamHandler | undefined;
  const stream: GrpcStream = {
    peer,
    closed: false,
    queued: 0,
    attach: (handler) => {
      attached = handler;
    },
    send: () => {},
    end: () => {},
  };
  limits.counted(stream).attach(silent);
  return () => attached?.onClose({ type: "client" });
}

function isRefused(limits: PeerLimits, peer: Peer): boolean {
  return limits.refusalOf(peer) !== undefined;
}

describe("a peer", () => {
  test("holds as many streams as the limit says, over all its connections, and others are not touched", () => {
    const limits = new PeerLimits({ clock: new FakeClock(), maxStreams: 2 });
    const end = open(limits, { address: "10.0.0.1:1000" });
    open(limits, { address: "10.0.0.1:2000" });
    expect(limits.refusalOf({ address: "10.0.0.1:3000" })).toEqual({
      type: "refused",
      status: GrpcStatus.RESOURCE_EXHAUSTED,
      message: "this peer has 2 streams, which is the limit (--max-streams-per-peer)",
    });
    expect(isRefused(limits, { address: "10.0.0.2:1000" })).toBe(false);
    end();
    expect(isRefused(limits, { address: "10.0.0.1:3000" })).toBe(false);
  });

  test("is its identity where it has proved one, wherever it calls from", () => {
    const limits = new PeerLimits({ clock: new FakeClock(), maxStreams: 1 });
    const identities = ["spiffe://a/ns/shop/sa/web"];
    open(limits, { address: "10.0.0.1:1", identities });
    expect(isRefused(limits, { address: "10.0.0.2:1", identities })).toBe(true);
    expect(isRefused(limits, { address: "10.0.0.1:1", identities: ["spiffe://a/ns/shop/sa/api"] })).toBe(false);
  });

  test("opens a thousand streams at once, then a hundred in a second, and is told when to come again", () => {
    const clock = new FakeClock();
    const limits = new PeerLimits({ clock, maxStreams: 10_000 });
    const peer = { address: "[fd00::1]:1" };
    const taken = () => Array.from({ length: 2_000 }, () => isRefused(limits, peer)).filter((each) => !each).length;
    expect(taken()).toBe(1_000);
    expect(limits.refusalOf(peer)).toMatchObject({ retryAfterMs: 10 });
    clock.advance(1_000);
    expect(taken()).toBe(100);
  });

  test.each(["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"])("on this machine, at %s, has no limit", (address) => {
    const limits = new PeerLimits({ clock: new FakeClock(), maxStreams: 1 });
    open(limits, { address });
    expect(isRefused(limits, { address })).toBe(false);
    open(limits, { address, forwarded: true });
    expect(isRefused(limits, { address, forwarded: true })).toBe(true);
  });
});
