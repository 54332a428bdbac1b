import { describe, expect, test } from "vitest";
import type { GrpcStream, GrpcStreamHandler } from "../../../lib/grpc/grpc-stream.ts";
import { GrpcStatus, type Peer } from "../../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { PeerLimits } from "./peer-limits.ts";

const silent = { onMessage: () => {}, onFlushed: () => {}, onClose: () => {} };

/** Attaches to one more stream of a peer; the result ends it. */
function open(limits: PeerLimits, peer: Peer): () => void {
  const attached = attach(limits, peer, silent);
  return () => attached?.onClose({ type: "client" });
}

/** The handler that the stream of a peer calls when this handler is attached to it. */
function attach(limits: PeerLimits, peer: Peer, given: GrpcStreamHandler): GrpcStreamHandler | undefined {
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
  limits.counted(stream).attach(given);
  return attached;
}

function isRefused(limits: PeerLimits, peer: Peer): boolean {
  return limits.refusalOf(peer) !== undefined;
}

describe("a peer", () => {
  test("may hold as many streams as the limit, over all its connections, without effect on other peers", () => {
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
    open(limits, { address: "10.0.0.1:3000" });
    expect(isRefused(limits, { address: "10.0.0.1:4000" })).toBe(true);
  });

  test("receives the messages of its stream, with or without a limit", () => {
    const heard: string[] = [];
    const handler: GrpcStreamHandler = {
      onMessage: (bytes) => heard.push(`message of ${bytes.length}`),
      onFlushed: () => heard.push("flushed"),
      onClose: ({ type }) => heard.push(`closed by ${type}`),
    };
    const limits = new PeerLimits({ clock: new FakeClock(), maxStreams: 1 });
    const counted = attach(limits, { address: "10.0.0.1:1" }, handler);
    counted?.onMessage(Uint8Array.of(1, 2));
    counted?.onFlushed();
    counted?.onClose({ type: "client" });
    expect(heard).toEqual(["message of 2", "flushed", "closed by client"]);
    expect(attach(limits, { address: "127.0.0.1:1" }, handler)).toBe(handler);
  });

  test("is its authenticated identity, from any address", () => {
    const limits = new PeerLimits({ clock: new FakeClock(), maxStreams: 1 });
    const identities = ["spiffe://a/ns/shop/sa/web"];
    open(limits, { address: "10.0.0.1:1", identities });
    expect(isRefused(limits, { address: "10.0.0.2:1", identities })).toBe(true);
    expect(isRefused(limits, { address: "10.0.0.1:1", identities: ["spiffe://a/ns/shop/sa/api"] })).toBe(false);
  });

  test("opens a thousand streams at once, then a hundred per second, and gets a retry time", () => {
    const clock = new FakeClock();
    const limits = new PeerLimits({ clock, maxStreams: 10_000 });
    const peer = { address: "[fd00::1]:1" };
    const taken = () => Array.from({ length: 2_000 }, () => isRefused(limits, peer)).filter((each) => !each).length;
    expect(taken()).toBe(1_000);
    const refusal = {
      type: "refused",
      status: GrpcStatus.RESOURCE_EXHAUSTED,
      message: "this peer opens more than 100 streams a second",
    };
    expect(limits.refusalOf(peer)).toEqual({ ...refusal, retryAfterMs: 10 });
    clock.advance(4);
    expect(limits.refusalOf(peer)).toEqual({ ...refusal, retryAfterMs: 6 });
    clock.advance(996);
    expect(taken()).toBe(100);
  });

  test.each(["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"])("on this machine, at %s, has no limit", (address) => {
    const limits = new PeerLimits({ clock: new FakeClock(), maxStreams: 1 });
    open(limits, { address });
    expect(isRefused(limits, { address })).toBe(false);
    open(limits, { address, forwarded: true });
    expect(isRefused(limits, { address, forwarded: true })).toBe(true);
  });

  test("is remembered while it has a stream; 10 000 peers without a stream are forgotten at the next one", () => {
    const limits = new PeerLimits({ clock: new FakeClock(), maxStreams: 1 });
    const [connected, hasty] = [{ address: "10.0.0.1:1" }, { address: "10.0.0.2:1" }];
    open(limits, connected);
    for (let stream = 0; stream < 1_000; stream++) limits.refusalOf(hasty);
    const meet = (index: number) => limits.refusalOf({ address: `10.1.${index >> 8}.${index & 255}:1` });
    for (let index = 2; index < 10_000; index++) meet(index);
    expect([connected, hasty].map((peer) => isRefused(limits, peer))).toEqual([true, true]);
    meet(10_000);
    expect([connected, hasty].map((peer) => isRefused(limits, peer))).toEqual([true, false]);
  });
});
