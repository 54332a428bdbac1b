import { type ClientHttp2Session, connect } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { until } from "../../testing/until.ts";
import { frameHead } from "../grpc-framing.ts";
import { createGrpcServer } from "./grpc-server.ts";
import { TurnShares } from "./turn-shares.ts";

const path = "/test.Echo/Stream";

/** A server that notes the text of each request, and in which turn of the event loop it came. */
async function noting() {
  const heard: { readonly text: string; readonly turn: number }[] = [];
  let turn = 0;
  const serve = (stream: GrpcStream) =>
    stream.attach({
      onMessage(bytes) {
        countTurn();
        heard.push({ text: Buffer.from(bytes).toString(), turn });
      },
      onFlushed: () => undefined,
      onClose: () => heard.push({ text: "closed", turn }),
    });
  let isCounted = false;
  const countTurn = () => {
    if (isCounted) return;
    isCounted = true;
    turn += 1;
    setImmediate(() => (isCounted = false));
  };
  const server = createGrpcServer({
    address: "127.0.0.1:0",
    methods: new Map([[path, serve]]),
    logger: new RecordingLogger(),
  });
  const address = await server.start();
  onTestFinished(() => server.stop({ graceMs: 0 }));
  return { heard, address };
}

function dial(address: string): ClientHttp2Session {
  const session = connect(`http://${address}`);
  session.on("error", () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

function open(session: ClientHttp2Session) {
  const request = session.request(
    { ":method": "POST", ":path": path, "content-type": "application/grpc" },
    { endStream: false },
  );
  request.on("error", () => undefined);
  return request;
}

const flood = Buffer.concat(Array.from({ length: 20_000 }, (_, index) => frameHead(Buffer.from(`${index}`), [])));

test("a flood of requests is served 64 a turn, completely, in order, and before its end", async () => {
  const { heard, address } = await noting();
  open(dial(address)).end(flood);
  await until(() => heard.at(-1)?.text === "closed");
  expect(heard.slice(0, -1).map(({ text }) => text)).toEqual(Array.from({ length: 20_000 }, (_, index) => `${index}`));
  const perTurn = Map.groupBy(heard.slice(0, -1), ({ turn }) => turn);
  expect(Math.max(...Array.from(perTurn.values(), (served) => served.length))).toBeLessThanOrEqual(64);
});

test("all streams of a connection have one share", async () => {
  const { heard, address } = await noting();
  const session = dial(address);
  for (let stream = 0; stream < 10; stream++) open(session).end(flood.subarray(0, 60_000));
  await until(() => heard.filter(({ text }) => text === "closed").length === 10);
  const perTurn = Map.groupBy(heard, ({ turn }) => turn);
  // The streams of one turn that were already read continue with one request each.
  expect(Math.max(...Array.from(perTurn.values(), (served) => served.length))).toBeLessThanOrEqual(64 + 2 * 10);
});

test("another client is served in the next turn, whatever waits of a flood", async () => {
  const { heard, address } = await noting();
  const flooding = open(dial(address));
  const other = open(dial(address));
  other.write(frameHead(Buffer.from("other 0"), []));
  flooding.write(flood);
  for (let request = 1; request <= 20; request++) {
    await until(() => heard.some(({ text }) => text === `other ${request - 1}`));
    other.write(frameHead(Buffer.from(`other ${request}`), []));
  }
  await until(() => heard.some(({ text }) => text === "other 20"));
  const places = heard.flatMap(({ text }, place) => (text.startsWith("other") ? [place] : []));
  const between = places.slice(1).map((place, index) => place - (places[index] ?? 0));
  // A request takes some turns through two sockets of this process.
  expect(Math.max(...between)).toBeLessThanOrEqual(64 * 10);
});

test("an address has one share, and so has an identity; on this machine each connection has one", () => {
  const shares = new TurnShares();
  const isUsedUp = (peer: Parameters<TurnShares["take"]>[0], by: Parameters<TurnShares["take"]>[0]) => {
    for (let request = 0; request < 64; request++) shares.take(by);
    return shares.isUsedUp(peer);
  };
  expect(isUsedUp({ address: "10.0.0.1:1" }, { address: "10.0.0.1:2" })).toBe(true);
  expect(shares.isUsedUp({ address: "10.0.0.2:1" })).toBe(false);
  const identities = ["spiffe://a/ns/shop/sa/web"];
  expect(isUsedUp({ address: "10.0.0.3:1", identities }, { address: "10.0.0.4:1", identities })).toBe(true);
  expect(isUsedUp({ address: "127.0.0.1:1" }, { address: "127.0.0.1:2" })).toBe(false);
});
