import { once } from "node:events";
import { connect } from "node:http2";
import { expect, test } from "vitest";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { ECHO, serverOptions, startEcho } from "../../testing/stream/grpc-js-rig.ts";
import { createGrpcServer } from "./grpc-server.ts";

test("stop ends open streams with UNAVAILABLE and resolves", async () => {
  const { call, server, closes } = await startEcho();
  const { stream, status } = call();
  stream.write(Buffer.from("x"));
  await once(stream, "data");
  const stopped = server.stop({ graceMs: 60_000 });
  expect(await status).toMatchObject({ code: GrpcStatus.UNAVAILABLE, details: "the server is shutting down" });
  await stopped;
  expect(closes).toEqual([{ type: "server" }]);
});

test("stop closes remaining streams after its grace period", async () => {
  const { address, server, closes } = await startEcho();
  const session = connect(`http://${address}`).on("error", () => undefined);
  const stream = session.request({ ":method": "POST", ":path": ECHO, "content-type": "application/grpc" });
  stream.on("error", () => undefined).pause();
  stream.write(Buffer.concat([Buffer.of(0, 0, 16, 0, 0), Buffer.alloc(1 << 20)]));
  await once(stream, "response");
  await server.stop({ graceMs: 1 });
  expect(closes).toEqual([{ type: "server" }]);
});

test("start and stop may be called twice, and stop without start", async () => {
  const { server, address } = await startEcho();
  expect(await server.start()).toBe(address);
  await Promise.all([server.stop({ graceMs: 0 }), server.stop({ graceMs: 0 })]);
  await createGrpcServer(serverOptions({})).stop({ graceMs: 0 });
});

test("a port in use is named in the error", async () => {
  const { address } = await startEcho();
  const second = createGrpcServer(serverOptions({ address }));
  await expect(second.start()).rejects.toMatchObject({
    code: "listen-failed",
    message: `${address} is already in use`,
  });
  await second.stop({ graceMs: 0 });
});

test("a server that is off does not listen", async () => {
  const server = createGrpcServer(serverOptions({ address: "off" }));
  expect(await server.start()).toBe("off");
  await server.stop({ graceMs: 0 });
});

test("an invalid address is refused", () => {
  expect(() => createGrpcServer(serverOptions({ address: "15010" }))).toThrow(
    '"15010" is not an address like 127.0.0.1:15010',
  );
});
