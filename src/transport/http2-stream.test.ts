import { type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { type CloseReason, GrpcStatus, type GrpcStream } from "../lib/grpc-stream.ts";
import { describeStream, type StreamRig, until } from "../testing/describe-stream.ts";
import { RecordingLogger } from "../testing/recording-logger.ts";
import type { ReceivedStatus, TestClientStream } from "../testing/stream-pair.ts";
import { Deframer, frameHead } from "./grpc-framing.ts";
import { createGrpcServer } from "./grpc-server.ts";

describeStream("a node:http2 stream", openRig);

const silent = { onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined };

test("a message that comes byte by byte arrives whole", async () => {
  const { server, request } = await openRig();
  const heard: string[] = [];
  server.attach({ ...silent, onMessage: (bytes) => heard.push(Buffer.from(bytes).toString()) });
  const frames = Buffer.concat([frameHead(Buffer.from("first message"), []), frameHead(Buffer.from("second"), [])]);
  for (const byte of frames) await new Promise((written) => request.write(Buffer.of(byte), written));
  await until(() => heard.length === 2);
  expect(heard).toEqual(["first message", "second"]);
});

test("a request that ends within a message is refused", async () => {
  const { server, client, request } = await openRig();
  const closes: CloseReason[] = [];
  server.attach({ ...silent, onClose: (reason) => closes.push(reason) });
  request.end(frameHead(Buffer.from("cut"), [Buffer.from("off")]));
  await until(() => client.status !== undefined);
  expect(client.status?.code).toBe(GrpcStatus.INTERNAL);
  expect(closes.map((reason) => reason.type)).toEqual(["broken"]);
});

test("messages wait in the socket until a handler is attached", async () => {
  const { server, client } = await openRig();
  client.send(Buffer.from("early"));
  await until(() => true);
  const heard: string[] = [];
  server.attach({ ...silent, onMessage: (bytes) => heard.push(Buffer.from(bytes).toString()) });
  await until(() => heard.length === 1);
  expect(heard).toEqual(["early"]);
});

test("a handler that attaches after the stream has closed is told so", async () => {
  const { server, client } = await openRig();
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
])("a server that ends first, %s, closes the stream although the client goes on sending", async (_, messages) => {
  const { server, client, request } = await openRig();
  server.attach(silent);
  for (const message of messages) server.send(message, []);
  server.end(GrpcStatus.UNAVAILABLE, "enough");
  request.write(frameHead(Buffer.alloc(100_000), []));
  await until(() => request.closed);
  expect(client.status).toEqual({ code: GrpcStatus.UNAVAILABLE, message: "enough" });
});

test("a handler that throws loses its stream, with INTERNAL, and no other", async () => {
  const { server, client } = await openRig();
  const closes: CloseReason[] = [];
  server.attach({ ...silent, onMessage: throwing, onClose: (reason) => closes.push(reason) });
  client.send(Buffer.from("x"));
  await until(() => client.status !== undefined);
  expect(client.status).toEqual({ code: GrpcStatus.INTERNAL, message: "internal error" });
  expect(closes).toMatchObject([{ type: "broken", cause: { message: "bug" } }]);
});

test("errors in onFlushed and onClose do not escape the stream", async () => {
  const { server, client } = await openRig();
  server.attach({ ...silent, onFlushed: throwing, onClose: throwing });
  server.send(Buffer.from("x"), []);
  await until(() => client.status !== undefined);
  expect(client.status?.code).toBe(GrpcStatus.INTERNAL);
});

function throwing(): never {
  throw new Error("bug");
}

/** A real server and a bare HTTP/2 client, joined by one stream. */
async function openRig(): Promise<StreamRig & { readonly request: ClientHttp2Stream }> {
  const accepted = Promise.withResolvers<GrpcStream>();
  const methods = new Map([["/test.Echo/Stream", accepted.resolve]]);
  const grpcServer = createGrpcServer({ address: "127.0.0.1:0", methods, logger: new RecordingLogger() });
  const session = connect(`http://${await grpcServer.start()}`);
  session.on("error", () => undefined);
  const request = session.request(
    { ":method": "POST", ":path": "/test.Echo/Stream", "content-type": "application/grpc" },
    { endStream: false },
  );
  const dispose = async () => {
    session.destroy();
    await grpcServer.stop({ graceMs: 0 });
  };
  onTestFinished(dispose);
  return { server: await accepted.promise, client: rawClient(request), request, dispose };
}

function rawClient(request: ClientHttp2Stream): TestClientStream {
  const received: Uint8Array[] = [];
  let status: ReceivedStatus | undefined;
  const deframer = new Deframer(64 << 20, (bytes) => received.push(bytes));
  const readStatus = (headers: IncomingHttpHeaders) => {
    if (headers["grpc-status"] === undefined) return;
    const code = Number(headers["grpc-status"]) as GrpcStatus;
    status = { code, message: decodeURIComponent(headers["grpc-message"]?.toString() ?? "") };
  };
  request.on("response", readStatus);
  request.on("trailers", readStatus);
  request.on("data", (chunk: Buffer) => deframer.push(chunk));
  request.on("error", () => undefined);
  return {
    received,
    get status() {
      return status;
    },
    send: (bytes) => void request.write(frameHead(bytes, [])),
    close: () => void request.end(),
    cancel: () => request.close(8),
    disconnect: () => request.session?.destroy(),
    stall: () => void request.pause(),
    resume: () => void request.resume(),
  };
}
