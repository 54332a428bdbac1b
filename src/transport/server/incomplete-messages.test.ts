import { expect, test } from "vitest";
import type { Peer } from "../../lib/grpc/grpc-stream.ts";
import { IncompleteMessages, type ReceivingStream } from "./incomplete-messages.ts";

const limits = { messageBytes: 1, messageMs: 0, peerBytes: 100, allBytes: 250 };

/** Streams with incomplete messages, and which of them were refused. */
class Streams {
  readonly incompleteMessages = new IncompleteMessages(limits);
  readonly refused: string[] = [];

  open(name: string, peer: Peer): ReceivingStream {
    const refuse = (reason: string) => {
      this.refused.push(`${name}: ${reason}`);
    };
    return { peer: () => peer, refuse };
  }
}

test("above the limit of one peer, its largest stream is refused and its memory is freed", () => {
  const streams = new Streams();
  const large = streams.open("large", { address: "10.0.0.1:1" });
  const small = streams.open("small", { address: "10.0.0.1:2" });
  const other = streams.open("other", { address: "10.0.0.2:1" });
  streams.incompleteMessages.hold(large, 60);
  streams.incompleteMessages.hold(other, 90);
  streams.incompleteMessages.hold(small, 40);
  expect(streams.refused).toEqual([]);
  streams.incompleteMessages.hold(small, 41);
  expect(streams.refused).toEqual(["large: messages of this peer that are not complete exceed the limit of 100 bytes"]);
  expect(streams.incompleteMessages.bytes).toBe(131);
  for (const each of [small, other]) streams.incompleteMessages.hold(each, 0);
  expect(streams.incompleteMessages.bytes).toBe(0);
});

test("above the limit of all peers, the largest stream of all is refused", () => {
  const streams = new Streams();
  for (let peer = 1; peer <= 4; peer++) {
    const stream = streams.open(`stream ${peer}`, { address: `10.0.0.${peer}:1` });
    streams.incompleteMessages.hold(stream, peer === 2 ? 70 : 65);
  }
  expect(streams.refused).toEqual([
    "stream 2: messages of all peers that are not complete exceed the limit of 250 bytes",
  ]);
});

test.each([
  ["not a client on this machine", { address: "127.0.0.1:1" }, 0],
  ["a client that a proxy on this machine passes on", { address: "127.0.0.1:1", forwarded: true }, 1],
  ["a client on this machine that has proved who it is", { address: "[::1]:1", identities: ["spiffe://a"] }, 1],
  ["a client elsewhere", { address: "[fe80::1]:1" }, 1],
])("the limit of one peer applies to %s", (_who, peer, refused) => {
  const streams = new Streams();
  streams.incompleteMessages.hold(streams.open("one", peer), 200);
  expect(streams.refused).toHaveLength(refused);
});
