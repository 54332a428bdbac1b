import { once } from "node:events";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { connect as connectTcp } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { ECHO, startEcho } from "../../testing/stream/grpc-js-rig.ts";
import { until } from "../../testing/until.ts";
import { ResetGuard } from "./reset-guard.ts";

const headers = { ":method": "POST", ":path": ECHO, "content-type": "application/grpc" };
const limits = { burst: 20, perSecond: 1 };

/** Opens a connection from an address of this machine. */
function dial(server: string, localAddress: string): ClientHttp2Session {
  const [host = "", port = ""] = server.split(":");
  const createConnection = () => connectTcp({ host, port: Number(port), localAddress });
  const session = connect(`http://${server}`, { createConnection }).on("error", () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

/** Opens and resets streams, and waits until the server noticed the resets. */
async function reset(session: ClientHttp2Session, streams: number, closes: readonly unknown[]): Promise<void> {
  const before = closes.length;
  for (let count = 0; count < streams; count++) {
    const stream = session.request(headers, { endStream: false }).on("error", () => undefined);
    stream.write(Buffer.alloc(5));
    await once(stream, "data");
    stream.close(constants.NGHTTP2_CANCEL);
  }
  await until(() => closes.length === before + streams || session.closed);
}

/** Whether a new connection gets an answer. */
async function isServed(server: string, localAddress: string): Promise<boolean> {
  const session = dial(server, localAddress);
  const stream = session.request(headers, { endStream: false }).on("error", () => undefined);
  stream.write(Buffer.alloc(5));
  return await Promise.race([once(stream, "response").then(() => true), once(session, "close").then(() => false)]);
}

describe("clients of one address", () => {
  test("are refused after too many resets over several connections, and other addresses are served", async () => {
    const clock = new FakeClock();
    const { address, closes, logger } = await startEcho({ clock, resets: limits });
    const good = dial(address, "127.0.0.1");
    const stream = good.request(headers, { endStream: false });
    stream.write(Buffer.alloc(5));
    await once(stream, "data");
    for (let connection = 0; connection < 4; connection++) await reset(dial(address, "127.0.0.1"), 5, closes);
    expect(await isServed(address, "127.0.0.1")).toBe(true);
    const last = dial(address, "127.0.0.1");
    const cut = once(last, "close");
    await reset(last, 1, closes);
    await cut;
    expect(logger.messages("warn")).toEqual(["address blocked for resets"]);
    expect(await isServed(address, "127.0.0.1")).toBe(false);
    expect(await isServed(address, "127.0.0.2")).toBe(true);
    // A connection without resets stays open.
    stream.write(Buffer.alloc(5));
    await once(stream, "data");
    clock.advance(11_000);
    expect(await isServed(address, "127.0.0.1")).toBe(true);
  });
});

test("the streams of a lost connection do not count as resets", async () => {
  const { address, closes } = await startEcho({ clock: new FakeClock(), resets: { burst: 0, perSecond: 0 } });
  const session = dial(address, "127.0.0.1");
  const streams = Array.from({ length: 5 }, () => session.request(headers, { endStream: false }));
  for (const stream of streams) stream.on("error", () => undefined).write(Buffer.alloc(5));
  await Promise.all(streams.map((stream) => once(stream, "data")));
  session.destroy();
  await until(() => closes.length === 5);
  expect(await isServed(address, "127.0.0.1")).toBe(true);
});

test("resets are forgotten with time", () => {
  const clock = new FakeClock();
  const guard = new ResetGuard(clock, limits);
  for (let count = 0; count < 20; count++) expect(guard.reset("a")).toBe(false);
  clock.advance(5_000);
  for (let count = 0; count < 5; count++) expect(guard.reset("a")).toBe(false);
  expect([guard.reset("a"), guard.reset("a")]).toEqual([true, false]);
  expect([guard.isBlocked("a"), guard.isBlocked("b")]).toEqual([true, false]);
  clock.advance(11_000);
  expect(guard.isBlocked("a")).toBe(true);
  clock.advance(1_000);
  expect(guard.isBlocked("a")).toBe(false);
});
