import { expect, test } from "vitest";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { streamPair, type TestClientStream } from "../../testing/stream/stream-pair.ts";
import { Callout } from "./callout.ts";
import { resourceSinkPath } from "./mcp-paths.ts";

/** A callout to a sink in the hands of the test, and the times of its calls. */
function rig() {
  const clock = new FakeClock();
  const told: string[] = [];
  const calls: number[] = [];
  const sinks: TestClientStream[] = [];
  const callout = new Callout({
    clock,
    random: () => 0.5,
    client: {
      address: "sink",
      start: async () => void told.push("client started"),
      stop: async () => void told.push("client stopped"),
      open(path, onTaken) {
        const { server, client } = streamPair();
        calls.push(clock.now());
        sinks.push(client);
        told.push(path);
        onTaken?.({});
        return server;
      },
    },
    serve: (stream) =>
      stream.attach({ onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined }),
    onTaken: () => void told.push("taken"),
  });
  return { callout, clock, told, calls, sinks };
}

test("a sink is called at the path of sinks, and a stop ends the stream and the client", async () => {
  const { callout, clock, told, sinks } = rig();
  await callout.start();
  await callout.stop();
  clock.advance(60_000);
  expect(told).toEqual(["client started", resourceSinkPath, "taken", "client stopped"]);
  expect(sinks[0]?.status?.code).toBe(GrpcStatus.CANCELLED);
});

test("a sink that hangs up is called again, later each time, and soon after it has spoken", async () => {
  const { callout, clock, calls, sinks } = rig();
  await callout.start();
  const pauses: number[] = [];
  for (const speaks of [false, false, true]) {
    if (speaks) sinks.at(-1)?.send(new Uint8Array());
    const [hungUpAt, before] = [clock.now(), calls.length];
    sinks.at(-1)?.close();
    while (calls.length === before && clock.now() < 60_000) clock.advance(1);
    pauses.push(clock.now() - hungUpAt);
  }
  const [first = 0, second = 0, third] = pauses;
  expect([first < second, third]).toEqual([true, first]);
  sinks.at(-1)?.close();
  await callout.stop();
  clock.advance(60_000);
  expect(calls).toHaveLength(4);
});
