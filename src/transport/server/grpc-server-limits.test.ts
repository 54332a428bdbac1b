import { once } from "node:events";
import { connect } from "node:http2";
import { describe, expect, onTestFinished, test } from "vitest";
import { SendTimeout } from "../../lib/grpc/send-timeout.ts";
import { type CloseReason, GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { ECHO, startEcho, startServer } from "../../testing/stream/grpc-js-rig.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { until } from "../../testing/until.ts";
import { jittered } from "./session-age.ts";

/** A bare client whose stream reads only on request. */
function openStream(address: string) {
  const session = connect(`http://${address}`).on("error", () => undefined);
  onTestFinished(() => session.destroy());
  const headers = { ":method": "POST", ":path": ECHO, "content-type": "application/grpc" };
  const stream = session.request(headers, { endStream: false }).on("error", () => undefined);
  return { session, stream };
}

describe("a client that does not read", () => {
  test("is cut off at the send time-out, and other clients stay", async () => {
    const streams: GrpcStream[] = [];
    const closes: CloseReason[] = [];
    const serve = (stream: GrpcStream) => {
      stream.attach({
        onMessage: () => undefined,
        onFlushed: () => undefined,
        onClose: (reason) => closes.push(reason),
      });
      streams.push(stream);
    };
    const { address } = await startServer({ methods: new Map([[ECHO, serve]]), sendTimeoutMs: 20 });
    const slow = openStream(address);
    await until(() => streams.length === 1);
    const other = openStream(address);
    await until(() => streams.length === 2);
    slow.stream.pause();
    other.stream.resume();
    // The first message exceeds all buffers on the way. The second fits, even on a slow machine.
    streams[0]?.send(Buffer.alloc(4 << 20), []);
    streams[1]?.send(Buffer.alloc(1 << 10), []);
    await until(() => closes.length === 1);
    expect(closes).toEqual([{ type: "broken", cause: new SendTimeout(20) }]);
    expect(streams.map(({ closed }) => closed)).toEqual([true, false]);
  });

  test("is never cut off without the time-out", async () => {
    const { address, closes } = await startEcho({ sendTimeoutMs: 0 });
    const { stream } = openStream(address);
    stream.pause();
    stream.write(Buffer.concat([Buffer.of(0, 0, 16, 0, 0), Buffer.alloc(1 << 20)]));
    await once(stream, "response");
    expect(closes).toEqual([]);
  });
});

describe("an announced but incomplete message", () => {
  const begun = Buffer.concat([Buffer.of(0, 0, 0, 3, 0xe8), Buffer.alloc(500)]);

  test("ends its stream at the time-out, and silence between messages does not", async () => {
    const clock = new FakeClock();
    const { address, closes } = await startEcho({ clock, sendTimeoutMs: 0 });
    const { stream } = openStream(address);
    stream.write(Buffer.of(0, 0, 0, 0, 1, 42));
    await once(stream, "data");
    clock.advance(60_000);
    expect(closes).toEqual([]);
    stream.write(begun);
    await until(() => clock.pending > 0);
    clock.advance(60_000);
    await until(() => closes.length === 1);
    expect(closes).toEqual([{ type: "broken", cause: new Error("a message was not complete within 60000 ms") }]);
  });

  test("is refused with RESOURCE_EXHAUSTED when all incomplete messages exceed the memory limit", async () => {
    const limits = { peerBytes: 0, allBytes: 0 };
    const { address, closes } = await startEcho({ maxMessageBytes: 1000, limits });
    const { session } = openStream(address);
    const headers = { ":method": "POST", ":path": ECHO, "content-type": "application/grpc" };
    const statuses: unknown[] = [];
    for (let count = 0; count < 4; count++) {
      const stream = session.request(headers, { endStream: false }).on("error", () => undefined);
      stream.on("response", (answer) => statuses.push(answer["grpc-status"], answer["grpc-message"]));
      stream.write(begun);
    }
    await until(() => statuses.length > 0);
    const message = "messages of all peers that are not complete exceed the limit of 4000 bytes";
    expect(statuses).toEqual([String(GrpcStatus.RESOURCE_EXHAUSTED), message]);
    expect(closes).toHaveLength(1);
  });
});

describe("a connection above its maximum age", () => {
  test("takes no new streams, and its streams end with UNAVAILABLE", async () => {
    const { call } = await startEcho({ maxAgeMs: 50 });
    const { stream, status } = call();
    stream.write(Buffer.from("x"));
    expect(await status).toMatchObject({
      code: GrpcStatus.UNAVAILABLE,
      details: "the connection is old: open another one",
    });
  });

  test("is replaced by a new connection of the client", async () => {
    const { call } = await startEcho({ maxAgeMs: 50 });
    await call().status;
    const { stream } = call();
    stream.write(Buffer.from("again"));
    expect(String((await once(stream, "data"))[0])).toBe("again");
  });

  test.each([
    [0, 27],
    [0.5, 30],
    [1, 33],
  ])("has a jitter of ten per cent: chance %d of 30 minutes are %d", (chance, minutes) => {
    expect(jittered(30, chance)).toBeCloseTo(minutes);
  });
});

describe("a server that stops", () => {
  test("ends many streams slice by slice, and all of them", async () => {
    const { call, server } = await startEcho();
    const calls = Array.from({ length: 250 }, () => call());
    const order: number[] = [];
    const open = calls.map(async ({ stream, status }, index) => {
      stream.write(Buffer.from("x"));
      await once(stream, "data");
      return { index, status };
    });
    const ends = (await Promise.all(open)).map(async ({ index, status }) => {
      const { code } = await status;
      order.push(Math.floor(index / 100));
      return code;
    });
    await server.stop({ graceMs: 2_000 });
    expect(new Set(await Promise.all(ends))).toEqual(new Set([GrpcStatus.UNAVAILABLE]));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test("sends GOAWAY before it ends the open streams", async () => {
    const { address, server } = await startEcho();
    const { session, stream } = openStream(address);
    stream.resume().write(Buffer.of(0, 0, 0, 0, 0));
    await once(stream, "response");
    const goaway = once(session, "goaway");
    const stopped = server.stop({ graceMs: 1_000 });
    const [code] = (await goaway) as [number];
    expect(code).toBe(0);
    await stopped;
  });
});

describe("a connection", () => {
  test("has a limit of concurrent streams", async () => {
    const { address } = await startEcho({ maxStreams: 7 });
    const { session } = openStream(address);
    await once(session, "remoteSettings");
    expect(session.remoteSettings.maxConcurrentStreams).toBe(7);
  });
});

function refuse(stream: GrpcStream): void {
  stream.end(GrpcStatus.RESOURCE_EXHAUSTED, "later", { retryAfterMs: 1_200 });
}

test("a refused client gets a retry hint", async () => {
  const { address } = await startServer({ methods: new Map([[ECHO, refuse]]) });
  const { stream } = openStream(address);
  const [headers] = (await once(stream, "response")) as [Record<string, string>];
  expect(headers["grpc-status"]).toBe(String(GrpcStatus.RESOURCE_EXHAUSTED));
  expect(headers["grpc-retry-pushback-ms"]).toBe("1200");
});
