import { expect, test } from "vitest";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { RequestBudget } from "../../mcp/source/request-budget.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { streamPair } from "../../testing/stream/stream-pair.ts";
import { StreamGate } from "./stream-gate.ts";

function rig(perSecond: number, burst: number) {
  const clock = new FakeClock();
  const served: number[] = [];
  const budget = new RequestBudget({ clock, perSecond, burst });
  const gate = new StreamGate({ clock, budget, serve: () => void served.push(clock.now()) });
  return { clock, gate, served };
}

test("a burst of streams is accepted at once, and later streams at the configured rate", () => {
  const { clock, gate, served } = rig(2, 3);
  for (let stream = 0; stream < 5; stream++) gate.admit(streamPair().server);
  expect(served).toEqual([0, 0, 0]);
  clock.advance(1_000);
  expect(served).toEqual([0, 0, 0, 500, 1_000]);
});

test("a client with a long wait is refused with a retry time", () => {
  const { gate, served } = rig(0.01, 1);
  gate.admit(streamPair().server);
  const ended: unknown[] = [];
  gate.admit(Object.assign(streamPair().server, { end: (...args: unknown[]) => void ended.push(args[0], args[2]) }));
  expect(ended).toEqual([GrpcStatus.RESOURCE_EXHAUSTED, { retryAfterMs: 100_000 }]);
  expect(served).toEqual([0]);
});

test("one identity does not use up the limit of others", () => {
  const { gate, served } = rig(0.01, 1);
  for (const identity of ["spiffe://a/ns/x/sa/one", "spiffe://a/ns/x/sa/two"]) {
    gate.admit({ ...streamPair().server, peer: { address: "10.0.0.1:1", identities: [identity] } });
  }
  expect(served).toEqual([0, 0]);
});

test("a stream is watched by the access list until it ends", () => {
  const { gate } = rig(1, 1);
  const watched = new Set<unknown>();
  const access = {
    watch: (stream: unknown) => void watched.add(stream),
    release: (stream: unknown) => void watched.delete(stream),
  };
  const serve = new StreamGate({
    clock: new FakeClock(),
    budget: new RequestBudget({ clock: new FakeClock(), perSecond: 1, burst: 1 }),
    serve: (stream) =>
      stream.attach({ onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined }),
  });
  const { server, client } = streamPair();
  serve.admit(server, access as never);
  expect([...watched]).toEqual([server]);
  client.close();
  expect([...watched]).toEqual([]);
  gate.admit(streamPair().server);
});

test("budgets of clients that are gone are forgotten when a stream arrives", () => {
  const told: string[] = [];
  const budget = { sweep: () => void told.push("swept"), takeOne: () => 0 };
  const gate = new StreamGate({
    clock: new FakeClock(),
    budget: budget as unknown as RequestBudget,
    serve: () => void told.push("served"),
  });
  gate.admit(streamPair().server);
  expect(told).toEqual(["swept", "served"]);
});
