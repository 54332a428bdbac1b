import { createServer, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Limits } from "../../lib/bounded/limit.ts";
import type { CloseReason } from "../../lib/grpc/grpc-stream.ts";
import { whyClosed } from "../../lib/grpc/why-closed.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { createGrpcClient } from "./grpc-client.ts";
import type { clientLimits } from "./client-limits.ts";

/** Opens a stream to this server. Returns why the stream ended, and its messages. */
async function meet(serve: (stream: ServerHttp2Stream) => void, limits: Partial<Limits<typeof clientLimits>>) {
  const sessions = new Set<Http2Session>();
  const server = createServer().on("session", (session) => sessions.add(session));
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    serve(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createGrpcClient({ address, logger: new RecordingLogger(), limits });
  const closed = Promise.withResolvers<CloseReason>();
  let messages = 0;
  client.open("/test.Echo/Stream").attach({
    onMessage: () => {
      messages += 1;
    },
    onFlushed: () => {},
    onClose: closed.resolve,
  });
  return { why: whyClosed(await closed.promise), messages };
}

function framed(message: Buffer, { size = message.length, flags = 0 } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(size, 1);
  return Buffer.concat([head, message]);
}

const ok = { ":status": 200, "content-type": "application/grpc" };

function dripping(stream: ServerHttp2Stream): void {
  stream.respond(ok);
  stream.write(framed(Buffer.from("0a00", "hex")));
  stream.write(framed(Buffer.alloc(0), { size: 1000 }));
  const drip = setInterval(() => stream.write(" "), 5);
  stream.once("close", () => clearInterval(drip));
}

function silent(stream: ServerHttp2Stream): void {
  stream.respond(ok);
  stream.write(framed(Buffer.from("0a00", "hex")));
  setTimeout(() => stream.end(framed(Buffer.from("0a00", "hex"))), 60);
}

function many(stream: ServerHttp2Stream): void {
  stream.respond(ok);
  stream.write(framed(Buffer.from("0a00".repeat(1000), "hex")));
}

function wordy(stream: ServerHttp2Stream): void {
  stream.respond({ ...ok, "grpc-status": "14", "grpc-message": "x".repeat(10_000) }, { endStream: true });
}

test("a server that never accepts the stream is given up", async () => {
  const { why } = await meet(() => {}, { responseMs: 50 });
  expect(why).toBe("it has not taken the stream within 50 ms");
});

test("a message that arrives too slowly ends the stream, and earlier messages count", async () => {
  expect(await meet(dripping, { messageMs: 100 })).toEqual({
    why: "a message was not complete within 100 ms",
    messages: 1,
  });
});

test("a stream without messages is not given up", async () => {
  expect(await meet(silent, { messageMs: 20 })).toEqual({
    why: "the connection was lost",
    messages: 2,
  });
});

test("a message with more resources than the limit is not decoded", async () => {
  expect(await meet(many, { messageFields: 10 })).toEqual({
    why: "a message exceeds the limit of 10 fields: at least 11 came",
    messages: 0,
  });
});

test.each([
  ["larger than the limit", framed(Buffer.alloc(0), { size: 101 }), "a message of 101 bytes is larger than the limit"],
  ["compressed", framed(Buffer.alloc(10), { flags: 1 }), "compressed messages are not supported"],
])("a message that is %s is refused as soon as its header arrives", async (_what, message, problem) => {
  const announcing = (stream: ServerHttp2Stream) => {
    stream.respond(ok);
    stream.write(message);
  };
  const { why, messages } = await meet(announcing, { messageBytes: 100 });
  expect([why, messages]).toEqual([expect.stringContaining(problem), 0]);
});

test("a server's status message is cut to a readable length", async () => {
  const { why } = await meet(wordy, {});
  expect(why).toBe(`it ended the stream: UNAVAILABLE, ${"x".repeat(1024)}`);
});
