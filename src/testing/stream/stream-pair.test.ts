import { expect, test } from "vitest";
import { describeStream } from "./describe-stream.ts";
import { streamPair } from "./stream-pair.ts";

describeStream("the in-memory stream", () => Promise.resolve({ ...streamPair(), dispose: () => Promise.resolve() }));

const silent = { onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined };

test("a sent message has arrived when the call returns, in both directions", () => {
  const { server, client } = streamPair();
  const heard: number[] = [];
  server.attach({ ...silent, onMessage: (bytes) => heard.push(...bytes) });
  client.send(Uint8Array.of(1, 2));
  expect(heard).toEqual([1, 2]);
  server.send(Uint8Array.of(3), [Uint8Array.of(4)]);
  expect(client.received).toEqual([Buffer.of(3, 4)]);
});

test("a message sent while the handler runs is delivered after it returned", () => {
  const { server, client } = streamPair();
  const steps: string[] = [];
  server.attach({
    ...silent,
    onMessage: ([first]) => {
      steps.push(`enter ${first}`);
      if (first === 1) client.send(Uint8Array.of(2));
      steps.push(`leave ${first}`);
    },
  });
  client.send(Uint8Array.of(1));
  expect(steps).toEqual(["enter 1", "leave 1", "enter 2", "leave 2"]);
});

test("messages wait for a handler that attaches late", () => {
  const { server, client } = streamPair();
  const heard: number[] = [];
  client.send(Uint8Array.of(7));
  server.attach({ ...silent, onMessage: (bytes) => heard.push(...bytes) });
  expect(heard).toEqual([7]);
});

test("the bytes of a message are overwritten after its handler returns", () => {
  const { server, client } = streamPair();
  const kept: Uint8Array[] = [];
  server.attach({ ...silent, onMessage: (bytes) => kept.push(bytes) });
  client.send(Uint8Array.of(1, 2, 3));
  expect(kept).toEqual([Uint8Array.of(0xff, 0xff, 0xff)]);
});

test("the status waits behind the messages that a stalled client has not read", () => {
  const { server, client } = streamPair();
  server.attach(silent);
  client.stall();
  server.send(Uint8Array.of(1), []);
  server.end(14, "gone");
  expect([client.received, client.status]).toEqual([[], undefined]);
  client.resume();
  expect([client.received, client.status]).toEqual([[Buffer.of(1)], { code: 14, message: "gone" }]);
});
