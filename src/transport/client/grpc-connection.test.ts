import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type Http2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { describe, expect, onTestFinished, test } from "vitest";
import { UnprocessedCall } from "../../lib/grpc/grpc-connection.ts";
import type { CloseReason } from "../../lib/grpc/grpc-stream.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { listenLocally } from "../../testing/server/listen-locally.ts";
import { until } from "../../testing/until.ts";
import { connectGrpc } from "./grpc-connection.ts";

const path = "/test.Echo/Call";
const ok = { ":status": 200, "content-type": "application/grpc" };
const request = Buffer.from("0a00", "hex");

/** A connection to a server with this behaviour. */
async function connected(
  serve: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
  limits: { readonly messageBytes?: number; readonly callMs?: number } = {},
) {
  const sessions = new Set<Http2Session>();
  const server = createServer().on("session", (session) => sessions.add(session));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    serve(stream, headers);
  });
  const address = `127.0.0.1:${await listenLocally(server)}`;
  const calls = { peerName: "the server", messageBytes: 1_000, messageFields: 10, callMs: 20_000, ...limits };
  const connection = connectGrpc({ address, logger: new RecordingLogger(), calls });
  onTestFinished(() => {
    connection[Symbol.dispose]();
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { connection, sessions };
}

function framed(message: Buffer, { size = message.length, flags = 0 } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(size, 1);
  return Buffer.concat([head, message]);
}

/** Answers with these bytes and this status. */
function answer(stream: ServerHttp2Stream, bytes: Buffer, trailers: object = { "grpc-status": "0" }): void {
  stream.respond(ok, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ ...trailers }));
  stream.end(bytes);
}

describe("a shared connection", () => {
  test("carries calls and streams at the same time, with their metadata", async () => {
    const tokens: unknown[] = [];
    const { connection, sessions } = await connected((stream, headers) => {
      tokens.push(headers["token"]);
      if (headers[":path"] === path) answer(stream, framed(request));
      else stream.respond(ok);
    });
    const stream = connection.open("/test.Echo/Stream", { token: "one" });
    const closed = Promise.withResolvers<CloseReason>();
    stream.attach({ onMessage: () => {}, onFlushed: () => {}, onClose: closed.resolve });
    const answers = await Promise.all([
      connection.call(path, request, { token: "two" }),
      connection.call(path, request, {}),
    ]);
    expect(answers.map((bytes) => Buffer.from(bytes))).toEqual([request, request]);
    expect([tokens, sessions.size]).toEqual([["one", "two", undefined], 1]);
    connection[Symbol.dispose]();
    expect(await closed.promise).toMatchObject({ type: "broken" });
    expect(connection.closed).toBe(true);
  });

  test("is closed when the server says goodbye, and its open calls are still answered", async () => {
    const { connection, sessions } = await connected((stream) => {
      for (const session of sessions) session.goaway();
      setImmediate(() => answer(stream, framed(request)));
    });
    const asked = connection.call(path, request, {});
    await until(() => connection.closed);
    expect(Buffer.from(await asked)).toEqual(request);
  });

  test("does not wait for ever for a server that does not take the connection", async () => {
    const { connection } = await connected(() => {}, { callMs: 30 });
    await expect(connection.call(path, request, {})).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("a call", () => {
  test.each<readonly [string, (stream: ServerHttp2Stream) => void, object]>([
    [
      "two answers",
      (stream) => answer(stream, Buffer.concat([framed(request), framed(request)])),
      { code: "peer-protocol", message: "the server sent two answers" },
    ],
    [
      "no answer",
      (stream) => answer(stream, Buffer.alloc(0)),
      { code: "peer-protocol", message: "the server sent no answer" },
    ],
    ["half an answer", (stream) => answer(stream, framed(request, { size: 9 })), { code: "peer-protocol" }],
    [
      "an answer without a status",
      (stream) => answer(stream, framed(request), {}),
      { code: "unavailable", message: "the connection was lost" },
    ],
    [
      "a page of HTTP",
      (stream) => stream.respond({ ":status": 404 }, { endStream: true }),
      { code: "peer-protocol", message: "it answered HTTP 404, not gRPC" },
    ],
    [
      "a compressed answer",
      (stream) => answer(stream, framed(request, { flags: 1 })),
      { code: "peer-protocol", message: "compressed messages are not supported" },
    ],
    [
      "a large answer",
      (stream) => answer(stream, framed(request, { size: 1_001 })),
      { code: "limit-exceeded", message: "a message of the server exceeds the limit of 1000 bytes: 1001 came" },
    ],
    [
      "many fields",
      (stream) => answer(stream, framed(Buffer.alloc(22, request))),
      { code: "limit-exceeded", message: "a message of the server exceeds the limit of 10 fields: at least 11 came" },
    ],
    [
      "a status without words",
      (stream) => stream.respond({ ...ok, "grpc-status": "7" }, { endStream: true }),
      { code: "unavailable", message: "the call failed with gRPC status 7" },
    ],
    [
      "a status after an answer",
      (stream) => answer(stream, framed(request), { "grpc-status": "14", "grpc-message": "no%20leader" }),
      { code: "unavailable", message: "no leader" },
    ],
    ["a reset", (stream) => stream.close(2), { code: "unavailable" }],
    ["a lost connection", (stream) => stream.session?.destroy(), { code: "unavailable" }],
  ])("that gets %s fails, and the reason says so", async (_what, serve, error) => {
    const { connection } = await connected(serve);
    await expect(connection.call(path, request, {})).rejects.toMatchObject(error);
  });
});

describe("a call that the server did not carry out", () => {
  test("because it refused the stream says so", async () => {
    const { connection } = await connected((stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    expect(await failureOf(connection.call(path, request, {}))).toBeInstanceOf(UnprocessedCall);
    expect(connection.closed).toBe(false);
  });

  test("because its goodbye names only earlier streams says so, and the connection is closed", async () => {
    const { connection } = await connected((stream) => {
      if (stream.id === 1) answer(stream, framed(request));
      else stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 1);
    });
    await connection.call(path, request, {});
    expect(await failureOf(connection.call(path, request, {}))).toBeInstanceOf(UnprocessedCall);
    expect(connection.closed).toBe(true);
    expect(await failureOf(connection.call(path, request, {}))).toBeInstanceOf(UnprocessedCall);
  });

  test.each<readonly [string, (stream: ServerHttp2Stream) => void]>([
    ["refused after the server had begun to answer", (stream) => refuseAfterAnswer(stream)],
    ["lost with its connection", (stream) => stream.session?.destroy()],
    ["reset for another reason", (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
    ["ended by a goodbye with an error", (stream) => stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 1)],
  ])("is not one that was %s", async (_how, serve) => {
    const { connection } = await connected(serve);
    expect(await failureOf(connection.call(path, request, {}))).not.toBeInstanceOf(UnprocessedCall);
  });
});

function refuseAfterAnswer(stream: ServerHttp2Stream): void {
  stream.respond(ok);
  stream.write(framed(request), () => stream.close(constants.NGHTTP2_REFUSED_STREAM));
}

function failureOf(call: Promise<Uint8Array>): Promise<unknown> {
  return call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}
