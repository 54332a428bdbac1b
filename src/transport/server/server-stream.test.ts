import { expect, test } from "vitest";
import { type CloseReason, GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { describeStream } from "../../testing/stream/describe-stream.ts";
import { openHttp2Rig } from "../../testing/stream/http2-rig.ts";
import { until } from "../../testing/until.ts";
import { frameHead } from "../grpc-framing.ts";

describeStream("a node:http2 stream", openHttp2Rig);

const silent = { onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined };

test("a message that comes byte by byte arrives whole", async () => {
  const { server, request } = await openHttp2Rig();
  const heard: string[] = [];
  server.attach({ ...silent, onMessage: (bytes) => heard.push(Buffer.from(bytes).toString()) });
  const frames = Buffer.concat([frameHead(Buffer.from("first message"), []), frameHead(Buffer.from("second"), [])]);
  for (const byte of frames) await new Promise((written) => request.write(Buffer.of(byte), written));
  await until(() => heard.length === 2);
  expect(heard).toEqual(["first message", "second"]);
});

test("a request that ends within a message is refused", async () => {
  const { server, client, request } = await openHttp2Rig();
  const closes: CloseReason[] = [];
  server.attach({ ...silent, onClose: (reason) => closes.push(reason) });
  request.end(frameHead(Buffer.from("cut"), [Buffer.from("off")]));
  await until(() => client.status !== undefined);
  expect(client.status?.code).toBe(GrpcStatus.INTERNAL);
  expect(closes.map((reason) => reason.type)).toEqual(["broken"]);
});

test("messages wait in the socket until a handler is attached", async () => {
  const { server, client } = await openHttp2Rig();
  client.send(Buffer.from("early"));
  await until(() => true);
  const heard: string[] = [];
  server.attach({ ...silent, onMessage: (bytes) => heard.push(Buffer.from(bytes).toString()) });
  await until(() => heard.length === 1);
  expect(heard).toEqual(["early"]);
});

test("a handler that attaches after the stream has closed gets `onClose`", async () => {
  const { server, client } = await openHttp2Rig();
  client.cancel();
  await until(() => server.closed);
  const closes: CloseReason[] = [];
  server.attach({ ...silent, onClose: (reason) => closes.push(reason) });
  await until(() => closes.length > 0);
  expect(closes).toEqual([{ type: "client" }]);
});

test.each([
  ["with a message", [Buffer.from("bye")]],
  ["without a message", []],
])("a server that ends first, %s, closes the stream although the client continues to send", async (_, messages) => {
  const { server, client, request } = await openHttp2Rig();
  server.attach(silent);
  for (const message of messages) server.send(message, []);
  server.end(GrpcStatus.UNAVAILABLE, "enough");
  request.write(frameHead(Buffer.alloc(100_000), []));
  await until(() => request.closed);
  expect(client.status).toEqual({ code: GrpcStatus.UNAVAILABLE, message: "enough" });
});

test("a handler that throws ends only its own stream, with INTERNAL", async () => {
  const { server, client } = await openHttp2Rig();
  const closes: CloseReason[] = [];
  server.attach({ ...silent, onMessage: throwing, onClose: (reason) => closes.push(reason) });
  client.send(Buffer.from("x"));
  await until(() => client.status !== undefined);
  expect(client.status).toEqual({ code: GrpcStatus.INTERNAL, message: "internal error" });
  expect(closes).toMatchObject([{ type: "broken", cause: { message: "bug" } }]);
});

test("errors in onFlushed and onClose do not escape the stream", async () => {
  const { server, client } = await openHttp2Rig();
  server.attach({ ...silent, onFlushed: throwing, onClose: throwing });
  server.send(Buffer.from("x"), []);
  await until(() => client.status !== undefined);
  expect(client.status?.code).toBe(GrpcStatus.INTERNAL);
});

function throwing(): never {
  throw new Error("bug");
}
