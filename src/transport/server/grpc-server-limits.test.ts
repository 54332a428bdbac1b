import { once } from "node:events";
import { connect } from "node:http2";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CloseReason, GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { ECHO, startEcho, startServer } from "../../testing/stream/grpc-js-rig.ts";
import { until } from "../../testing/until.ts";
import { jittered } from "./session-age.ts";

/** A bare client whose stream reads only when told to. */
function openStream(address: string) {
  const session = connect(`http://${address}`).on("error", () => undefined);
  onTestFinished(() => session.destroy());
  const headers = { ":method": "POST", ":path": ECHO, "content-type": "application/grpc" };
  const stream = session.request(headers, { endStream: false }).on("error", () => undefined);
  return { session, stream };
}

describe("a reader that does not read", () => {
  test("is cut off when the time to read is over, and the others live on", async () => {
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
    // More than fits on the way, and less: even a slow machine takes that in time.
    streams[0]?.send(Buffer.alloc(4 << 20), []);
    streams[1]?.send(Buffer.alloc(1 << 10), []);
    await until(() => closes.length === 1);
    expect(closes).toEqual([{ type: "broken", cause: new Error("nothing of what was sent was read for 20 ms") }]);
    expect(streams.map(({ closed }) => closed)).toEqual([true, false]);
  });

  test("has as much time as it likes when the limit is off", async () => {
    const { address, closes } = await startEcho({ sendTimeoutMs: 0 });
    const { stream } = openStream(address);
    stream.pause();
    stream.write(Buffer.concat([Buffer.of(0, 0, 16, 0, 0), Buffer.alloc(1 << 20)]));
    await once(stream, "response");
    expect(closes).toEqual([]);
  });
});

describe("a connection that is old", () => {
  test("is closed for new streams, and those it has end with UNAVAILABLE", async () => {
    const { call } = await startEcho({ maxAgeMs: 50 });
    const { stream, status } = call();
    stream.write(Buffer.from("x"));
    expect(await status).toMatchObject({
      code: GrpcStatus.UNAVAILABLE,
      details: "the connection is old: open another one",
    });
  });

  test("is followed by another one, on which the client goes on", async () => {
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
  ])("is so at ten per cent more or less: chance %d of 30 minutes are %d", (chance, minutes) => {
    expect(jittered(30, chance)).toBeCloseTo(minutes);
  });
});

describe("a server that stops", () => {
  test("ends a herd of streams slice by slice, and all of them", async () => {
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

  test("asks clients to open no more streams, before it ends those they have", async () => {
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
  test("may have only so many streams at a time", async () => {
    const { address } = await startEcho({ maxStreams: 7 });
    const { session } = openStream(address);
    await once(session, "remoteSettings");
    expect(session.remoteSettings.maxConcurrentStreams).toBe(7);
  });
});

function refuse(stream: GrpcStream): void {
  stream.end(GrpcStatus.RESOURCE_EXHAUSTED, "later", { retryAfterMs: 1_200 });
}

test("a client that is turned away is told when to come again", async () => {
  const { address } = await startServer({ methods: new Map([[ECHO, refuse]]) });
  const { stream } = openStream(address);
  const [headers] = (await once(stream, "response")) as [Record<string, string>];
  expect(headers["grpc-status"]).toBe(String(GrpcStatus.RESOURCE_EXHAUSTED));
  expect(headers["grpc-retry-pushback-ms"]).toBe("1200");
});
