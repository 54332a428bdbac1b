import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { SendTimeout } from "../lib/grpc/send-timeout.ts";
import type { CloseReason, GrpcStream } from "../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { ECHO, startServer } from "../testing/stream/grpc-js-rig.ts";
import { readSlowly, SlowReader } from "../testing/stream/slow-reader.ts";
import { until } from "../testing/until.ts";
import { createGrpcClient } from "./client/grpc-client.ts";

const sendTimeoutMs = 30_000;
const message = randomBytes(3 << 20);
const windowBytes = 64 * 1024;

interface Ends {
  readonly clock: FakeClock;
  /** The sending side, on a fake clock. */
  readonly sender: GrpcStream;
  readonly closes: readonly CloseReason[];
  readonly reader: SlowReader;
}

function attached(stream: GrpcStream): readonly CloseReason[] {
  const closes: CloseReason[] = [];
  stream.attach({ onMessage: () => {}, onFlushed: () => {}, onClose: (reason) => closes.push(reason) });
  return closes;
}

/** A server that sends to a bare client, over HTTP/2's smallest window. */
async function servingSlowClient(): Promise<Ends> {
  const clock = new FakeClock();
  const { promise: served, resolve: serve } = Promise.withResolvers<GrpcStream>();
  const { address } = await startServer({ methods: new Map([[ECHO, serve]]), sendTimeoutMs, clock });
  const session = connect(`http://${address}`).on("error", () => undefined);
  onTestFinished(() => session.destroy());
  const headers = { ":method": "POST", ":path": ECHO, "content-type": "application/grpc" };
  const stream = session.request(headers, { endStream: false }).on("error", () => undefined);
  const sender = await served;
  return { clock, sender, closes: attached(sender), reader: new SlowReader(stream) };
}

/** A client that sends to a bare server. */
async function callingSlowServer(): Promise<Ends> {
  const clock = new FakeClock();
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const address = `127.0.0.1:${port}`;
  const client = createGrpcClient({ address, logger: new RecordingLogger(), sendTimeoutMs, clock });
  const sender = client.open(ECHO);
  const [stream] = (await once(server, "stream")) as [ServerHttp2Stream];
  stream.on("error", () => undefined);
  onTestFinished(() => stream.session?.destroy());
  return { clock, sender, closes: attached(sender), reader: new SlowReader(stream) };
}

test.each([
  ["server", servingSlowClient],
  ["client", callingSlowServer],
])("a %s sends a large message to a slow reader for many deadlines, and it arrives whole", async (_, open) => {
  const { clock, sender, closes, reader } = await open();
  sender.send(message, []);
  await readSlowly(reader, sender, { bytes: windowBytes, meanwhile: () => clock.advance(0.9 * sendTimeoutMs) });
  await reader.read(message.length - reader.message.length);
  expect(closes).toEqual([]);
  expect(clock.now()).toBeGreaterThan(20 * sendTimeoutMs);
  expect(reader.message.equals(message)).toBe(true);
});

test.each([
  ["server", servingSlowClient],
  ["client", callingSlowServer],
])("a %s gives up on a reader that stops halfway", async (_, open) => {
  const { clock, sender, closes, reader } = await open();
  sender.send(message, []);
  await reader.read(10 * windowBytes);
  await until(() => sender.queued < message.length - 10 * windowBytes);
  clock.advance(sendTimeoutMs);
  await until(() => closes.length > 0);
  const cause = new SendTimeout(sendTimeoutMs);
  expect(closes).toEqual([{ type: "broken", cause }]);
});

test("a server cuts off a client that does not read the messages before its status", async () => {
  const { clock, sender } = await servingSlowClient();
  sender.send(message, []);
  sender.end(0);
  expect(clock.pending).toBe(1);
  clock.advance(sendTimeoutMs);
  await until(() => sender.queued === 0);
});
