import { once } from "node:events";
import { connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { compressionAlgorithms, Metadata } from "@grpc/grpc-js";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { GrpcStatus, type GrpcStream, type Peer } from "../../lib/grpc/grpc-stream.ts";
import { seed } from "../../testing/random/seed.ts";
import { bytesAsIs, ECHO, ONCE, record, startEcho, startServer, unaryCall } from "../../testing/stream/grpc-js-rig.ts";
import { until } from "../../testing/until.ts";

test("a grpc-js client gets back its messages, small and large", async () => {
  const { call } = await startEcho({ maxMessageBytes: 8 << 20 });
  const large = Buffer.alloc(5 << 20, "binnacle");
  const { stream } = call();
  for (const sent of [Buffer.from("hello"), Buffer.alloc(0), large]) {
    stream.write(sent);
    const [received] = (await once(stream, "data")) as [Buffer];
    expect(received.equals(sent)).toBe(true);
  }
});

test("a hundred messages of random sizes arrive complete and in order", async () => {
  const { call } = await startEcho();
  const sizes = fc.sample(fc.integer({ min: 0, max: 100_000 }), { seed, numRuns: 100 });
  const sent = sizes.map((size, index) => Buffer.alloc(size, index + 1));
  const { stream, received, status } = call();
  for (const message of sent) stream.write(message);
  await until(() => received.length === sent.length);
  stream.end();
  expect((await status).code).toBe(GrpcStatus.OK);
  expect(received.map((message, index) => message.equals(sent[index] ?? Buffer.of()))).not.toContain(false);
});

test("a response of many shared segments arrives as one message on every stream", async () => {
  const segments = Array.from({ length: 500 }, (_, i) => Buffer.alloc(i, i));
  const { call } = await startServer({ methods: new Map([[ECHO, (stream) => sendAndEnd(stream, segments)]]) });
  const streams = [call(), call(), call()];
  for (const { received, status } of streams) {
    expect((await status).code).toBe(GrpcStatus.OK);
    expect(received).toHaveLength(1);
    expect(received[0]?.equals(Buffer.concat([Buffer.from("prefix"), ...segments]))).toBe(true);
  }
});

test("a client that half-closes gets status OK, and the handler gets the close", async () => {
  const { call, closes } = await startEcho();
  const { stream, received, status } = call();
  stream.write(Buffer.from("only"));
  stream.end();
  expect((await status).code).toBe(GrpcStatus.OK);
  expect(received.map(String)).toEqual(["only"]);
  expect(closes).toEqual([{ type: "client" }]);
});

test("a client that cancels closes the handler's stream", async () => {
  const { call, closes } = await startEcho();
  const { stream } = call();
  stream.write(Buffer.from("x"));
  await once(stream, "data");
  stream.cancel();
  await until(() => closes.length > 0);
  expect(closes).toEqual([{ type: "client" }]);
});

test("a client that exceeds its deadline closes the handler's stream", async () => {
  const { call, closes } = await startEcho();
  const { stream, status } = call({ deadline: Date.now() + 500 });
  stream.write(Buffer.from("x"));
  expect((await status).code).toBe(4);
  await until(() => closes.length > 0);
  expect(closes).toEqual([{ type: "client" }]);
});

test("an unknown method is UNIMPLEMENTED", async () => {
  const { client } = await startEcho();
  const stream = client.makeBidiStreamRequest("/test.Echo/Other", bytesAsIs, bytesAsIs);
  const status = await record(stream).status;
  expect(status).toMatchObject({ code: GrpcStatus.UNIMPLEMENTED, details: "unknown method /test.Echo/Other" });
});

test.each([
  ["no gRPC content type", { ":method": "POST" }, 415],
  ["the content type of gRPC-Web", { ":method": "POST", "content-type": "application/grpc-web+proto" }, 415],
  ["a method other than POST", { ":method": "GET", "content-type": "application/grpc" }, 405],
])("a request with %s is refused by HTTP status", async (_, headers, status) => {
  const { address } = await startEcho();
  const session = connect(`http://${address}`);
  onTestFinished(() => session.destroy());
  const [response] = await once(session.request({ ":path": ECHO, ...headers }), "response");
  expect(response).toMatchObject({ ":status": status });
});

test("a request message may have 4 MiB by default", async () => {
  const { call } = await startEcho();
  const { stream, status } = call();
  stream.write(Buffer.alloc((4 << 20) + 1));
  stream.end();
  const details = "a message of 4194305 bytes is larger than the limit of 4194304 bytes";
  expect(await status).toMatchObject({ code: GrpcStatus.RESOURCE_EXHAUSTED, details });
});

test("a request message above the limit is RESOURCE_EXHAUSTED", async () => {
  const { call, closes } = await startEcho({ maxMessageBytes: 1000 });
  const { stream, status } = call();
  stream.write(Buffer.alloc(1001));
  stream.end();
  expect(await status).toMatchObject({
    code: GrpcStatus.RESOURCE_EXHAUSTED,
    details: "a message of 1001 bytes is larger than the limit of 1000 bytes",
  });
  expect(closes).toMatchObject([{ type: "broken" }]);
});

test("a compressed request message is UNIMPLEMENTED", async () => {
  const { call } = await startEcho({}, { "grpc.default_compression_algorithm": compressionAlgorithms.gzip });
  const { stream, status } = call();
  stream.write(Buffer.alloc(1000));
  expect((await status).code).toBe(GrpcStatus.UNIMPLEMENTED);
});

test("a method that throws fails only its own call", async () => {
  const { call, client, logger } = await startServer({
    methods: new Map([[ECHO, throwing]]),
    unary: new Map([[ONCE, (request) => request]]),
  });
  expect(await call().status).toMatchObject({ code: GrpcStatus.INTERNAL, details: "internal error" });
  expect(logger.messages("error")).toEqual(["grpc method failed"]);
  expect(String(await unaryCall(client, Buffer.from("alive")))).toBe("alive");
});

test("bytes that are not HTTP/2 do no harm", async () => {
  const { address, call } = await startEcho();
  const socket = connectTcp(Number(new URL(`http://${address}`).port), "127.0.0.1");
  socket.end("GET / HTTP/1.1\r\n\r\n").resume();
  await once(socket, "close");
  const { stream } = call();
  stream.write(Buffer.from("alive"));
  expect(String((await once(stream, "data"))[0])).toBe("alive");
});

function throwing(): never {
  throw new Error("bug");
}

function sendAndEnd(stream: GrpcStream, segments: readonly Uint8Array[]): void {
  stream.send(Buffer.from("prefix"), segments);
  stream.end(GrpcStatus.OK);
}

test.each(["x-forwarded-for", "x-real-ip", "forwarded", "via"])(
  "a stream with %s is marked as forwarded",
  async (name) => {
    const peers: Peer[] = [];
    const note = (stream: GrpcStream) => {
      peers.push(stream.peer);
      stream.end(GrpcStatus.OK);
    };
    const { client } = await startServer({ methods: new Map([[ECHO, note]]) });
    const metadata = new Metadata();
    await record(client.makeBidiStreamRequest(ECHO, bytesAsIs, bytesAsIs, metadata)).status;
    metadata.set(name, "10.0.0.9");
    await record(client.makeBidiStreamRequest(ECHO, bytesAsIs, bytesAsIs, metadata)).status;
    expect(peers.map(({ forwarded }) => forwarded)).toEqual([undefined, true]);
  },
);
