import { once } from "node:events";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { CloseReason } from "../lib/grpc/grpc-stream.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { listenLocally } from "../testing/server/listen-locally.ts";
import { keepAlive } from "./keep-alive.ts";
import { createGrpcServer } from "./server/grpc-server.ts";

test("a peer that stops answering pings loses its streams", async () => {
  const { address, opened, closed } = await startServer({ pingIntervalMs: 20, pingTimeoutMs: 100 });
  const line = await freezableLine(address);
  openStream(line.address);
  await opened;
  line.freeze();
  expect(await closed).toMatchObject({ type: "broken", cause: { message: "no answer to a ping within 100 ms" } });
});

test("a peer that answers is pinged again and keeps its streams", async () => {
  const { address, opened, closed } = await startServer({ pingIntervalMs: 1, pingTimeoutMs: 60_000 });
  const client = openStream(address);
  await opened;
  for (let pings = 0; pings < 3; pings++) await once(client, "ping");
  expect(await Promise.race([closed, Promise.resolve("still open")])).toBe("still open");
});

test("an idle connection is not pinged until it has work again", async () => {
  const server = createHttp2Server();
  const pinged = new Promise<void>((resolve) => {
    server.once("session", (session) => session.once("ping", () => resolve()));
  });
  const session = connectHttp2(`http://127.0.0.1:${await listenLocally(server)}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  await once(session, "connect");
  let idleChecks = 0;
  keepAlive(session, { pingIntervalMs: 1, pingTimeoutMs: 60_000, isIdle: () => ++idleChecks < 3 });
  await pinged;
  expect(idleChecks).toBeGreaterThanOrEqual(3);
});

async function startServer(pings: { readonly pingIntervalMs: number; readonly pingTimeoutMs: number }) {
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<CloseReason>();
  const handler = { onMessage: () => undefined, onFlushed: () => undefined, onClose: closed.resolve };
  const server = createGrpcServer({
    address: "127.0.0.1:0",
    methods: new Map([
      [
        "/test.Echo/Stream",
        (stream) => {
          stream.attach(handler);
          opened.resolve();
        },
      ],
    ]),
    logger: new RecordingLogger(),
    ...pings,
  });
  onTestFinished(() => server.stop({ graceMs: 0 }));
  return { address: await server.start(), opened: opened.promise, closed: closed.promise };
}

function openStream(address: string) {
  const session = connectHttp2(`http://${address}`);
  session.on("error", () => undefined);
  const headers = { ":method": "POST", ":path": "/test.Echo/Stream", "content-type": "application/grpc" };
  session.request(headers, { endStream: false }).on("error", () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

/** A TCP relay that can go silent without closing, like a broken network. */
async function freezableLine(target: string) {
  let frozen = false;
  const port = Number(new URL(`http://${target}`).port);
  const relay = createServer((near) => {
    const far = connectTcp(port, "127.0.0.1");
    near.on("data", (bytes) => frozen || far.write(bytes)).on("error", () => far.destroy());
    far.on("data", (bytes) => frozen || near.write(bytes)).on("close", () => near.destroy());
  });
  await once(relay.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void relay.close());
  return {
    address: `127.0.0.1:${(relay.address() as AddressInfo).port}`,
    freeze: () => {
      frozen = true;
    },
  };
}
