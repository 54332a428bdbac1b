import { once } from "node:events";
import { expect, test } from "vitest";
import { MeshError } from "../../lib/errors.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { bytesAsIs, ONCE, record, startServer, unaryCall } from "../../testing/stream/grpc-js-rig.ts";
import { until } from "../../testing/until.ts";

test("a unary method answers its request, synchronously or later", async () => {
  for (const method of [(request: Uint8Array) => request, (request: Uint8Array) => Promise.resolve(request)]) {
    const { client } = await startServer({ unary: new Map([[ONCE, method]]) });
    expect(String(await unaryCall(client, Buffer.from("same")))).toBe("same");
  }
});

test.each([
  [new MeshError("not-found", "no such service"), { code: GrpcStatus.NOT_FOUND, details: "no such service" }],
  [new MeshError("unavailable", "not ready"), { code: GrpcStatus.UNAVAILABLE, details: "not ready" }],
  [new Error("our secret"), { code: GrpcStatus.INTERNAL, details: "internal error" }],
])("a unary method that throws %o fails with its status", async (error, status) => {
  const failing = async () => {
    throw error;
  };
  const { client } = await startServer({ unary: new Map([[ONCE, failing]]) });
  await expect(unaryCall(client, Buffer.from("?"))).rejects.toMatchObject(status);
});

test("a call of a unary method needs exactly one request", async () => {
  const { client } = await startServer({ unary: new Map([[ONCE, neverAnswers]]) });
  for (const requests of [0, 2]) {
    const { stream, status } = record(client.makeBidiStreamRequest(ONCE, bytesAsIs, bytesAsIs));
    for (let i = 0; i < requests; i++) stream.write(Buffer.from("x"));
    stream.end();
    expect((await status).code).toBe(GrpcStatus.UNIMPLEMENTED);
  }
});

test("a server-streaming method continues after the client's half-close", async () => {
  const streams: GrpcStream[] = [];
  const watch = (stream: GrpcStream) =>
    stream.attach({ onMessage: () => streams.push(stream), onFlushed: () => undefined, onClose: () => undefined });
  const { client } = await startServer({ serverStreaming: new Map([["/test.Echo/Watch", watch]]) });
  const stream = client.makeServerStreamRequest("/test.Echo/Watch", bytesAsIs, bytesAsIs, Buffer.from("?"));
  await until(() => streams.length === 1);
  for (const update of ["one", "two"]) {
    streams[0]?.send(Buffer.from(update), []);
    expect(String((await once(stream, "data"))[0])).toBe(update);
  }
  streams[0]?.end(GrpcStatus.OK);
  expect(await once(stream, "status")).toMatchObject([{ code: GrpcStatus.OK }]);
});

test("a table may restrict the callers of its methods, and other callers get an error", async () => {
  const closed = { unary: new Map([[ONCE, (request: Uint8Array) => request]]), mayCall: () => false };
  const { client } = await startServer({ also: [closed] });
  await expect(unaryCall(client, Buffer.from("?"))).rejects.toMatchObject({ code: GrpcStatus.PERMISSION_DENIED });
});

function neverAnswers(): Promise<Uint8Array> {
  return new Promise(() => undefined);
}
