import { setImmediate as nextTurn } from "node:timers/promises";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { typeUrls } from "../../src/fleet/fleet-resource-type.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { Random } from "../../src/testing/random/random.ts";
import { seed } from "../../src/testing/random/seed.ts";
import { badFrames, type Flood, floods } from "./support/abuse/bad-frames.ts";
import { type CallEnd, grpcFrame, RawGrpcCaller } from "./support/abuse/grpc-call.ts";
import { largeNode, requestOf } from "./support/abuse/large-node.ts";
import { mutated } from "./support/abuse/mutate-bytes.ts";
import { adsCall, FrameFlag, FrameType, http2Frame, RawHttp2 } from "./support/abuse/raw-http2.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { splitYaml } from "./support/envoy/shop.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { atScale } from "./support/scale.ts";
import { delta, SotwClient, sotw } from "./support/xds/ads-client.ts";
import { SteadyFleet } from "./support/xds/steady-fleet.ts";
import { serviceYaml } from "./support/yaml.ts";

/** The most memory that an attack may cost: a generous bound, far below the cost without limits. */
const mayGrowMb = 200;

let mesh: MeshDir;
let binnacle: BinnacleProcess;
let steadyFleet: SteadyFleet;
let port: number;
let rssBeforeMb: number;

beforeAll(async () => {
  const ratings = serviceYaml({ name: "ratings", port: 9080, endpoints: [{ port: 9 }] });
  mesh = new MeshDir({ "ratings.yaml": ratings, "routes.yaml": splitYaml(50, 50) });
  binnacle = await startBinnacle({ dir: mesh.path });
  port = binnacle.xdsPort;
  steadyFleet = new SteadyFleet(port, mesh);
  await steadyFleet.receivesChange();
});

beforeEach(() => {
  rssBeforeMb = binnacle.rssMb;
});

/** The troubles of well-behaved clients after one more change. Empty when all is well. */
async function troubles(): Promise<readonly string[]> {
  await steadyFleet.receivesChange();
  const { late, lost, broken, remarks } = steadyFleet.report;
  const grownMb = binnacle.rssMb - rssBeforeMb;
  return [
    ...remarks,
    ...Object.keys(lost).map((reason) => `a stream ended: ${reason}`),
    ...(late + broken > 0 ? [`${late} are late, ${broken} references were broken`] : []),
    ...(grownMb > mayGrowMb ? [`the server has grown by ${grownMb} MB`] : []),
    ...binnacle.linesLike(/"level":"(?:error|fatal)"/u),
  ];
}

afterAll(async () => {
  steadyFleet[Symbol.dispose]();
  await binnacle.stop();
  mesh[Symbol.dispose]();
});

const mutations = atScale({ quick: 10_000, whole: 100_000 });

/** The number of the HTTP/2 setting for the initial window of streams. */
const settingInitialWindow = 4;

const random = new Random(seed);
const noHttp2: readonly (readonly [name: string, bytes: Buffer])[] = [
  ["HTTP/1.1", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")],
  ["TLS", Buffer.from("16030100a5010000a10303", "hex")],
  ["noise", Buffer.from(Array.from({ length: 5000 }, () => random.below(256)))],
];

const message = sotwRequest({ node: { id: "x" } });
const byClient = { ":path": sotw.path };

/** Calls that no gRPC library makes, and how they must end. */
const badCalls: readonly (readonly [
  name: string,
  end: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
])[] = [
  ["a GET", "HTTP 405", { ...byClient, ":method": "GET" }, Buffer.alloc(0)],
  ["a form", "HTTP 415", { ...byClient, "content-type": "text/plain" }, message],
  ["an unknown method", "gRPC 12", { ":path": "/nobody.Knows/This" }, grpcFrame(message)],
  ["a compressed message", "gRPC 12", byClient, grpcFrame(message, { flags: 1 })],
  ["a flag that does not exist", "gRPC 12", byClient, grpcFrame(message, { flags: 0x40 })],
  ["a message cut short", "gRPC 13", byClient, grpcFrame(message, { length: 1000 })],
  ["a header cut short", "gRPC 13", byClient, Buffer.alloc(3)],
  ["a length field of 4 GB", "gRPC 8", byClient, grpcFrame(message, { length: 0xffff_ffff })],
  ["a message that is no protobuf", "gRPC 3", byClient, grpcFrame(Buffer.alloc(40, 0xff))],
  ["a first request without a node", "gRPC 3", byClient, grpcFrame(Buffer.alloc(0))],
  ["a node with an invalid id", "gRPC 3", byClient, grpcFrame(message)],
];

const types = Object.values(typeUrls);
const names = ["outbound|9080||ratings.shop.svc.cluster.local", "9080", "*"];
const node = { id: gatewayNode.id, metadata: { ...gatewayNode.metadata } };

/** Valid requests in either protocol: first ones, and later ones. */
const protocols: readonly { readonly path: string; readonly requests: readonly Buffer[] }[] = [
  {
    path: sotw.path,
    requests: types.flatMap((typeUrl) => [
      firstRequest(typeUrl),
      sotwRequest({ typeUrl, resourceNames: names }),
      sotwRequest({ typeUrl, responseNonce: "1", versionInfo: "1" }),
      sotwRequest({ typeUrl, responseNonce: "2", errorDetail: { code: 3, message: "no" } }),
    ]),
  },
  {
    path: delta.path,
    requests: types.flatMap((typeUrl) => [
      deltaRequest({ node, typeUrl, resourceNamesSubscribe: names, initialResourceVersions: { "9080": "1" } }),
      deltaRequest({ typeUrl, resourceNamesSubscribe: names }),
      deltaRequest({ typeUrl, resourceNamesUnsubscribe: names }),
      deltaRequest({ typeUrl, responseNonce: "1" }),
    ]),
  },
];

function firstRequest(typeUrl: string): Buffer {
  return sotwRequest({ node, typeUrl });
}

function sotwRequest(init: MessageInitShape<typeof DiscoveryRequestSchema>): Buffer {
  return Buffer.from(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init)));
}

function deltaRequest(init: MessageInitShape<typeof DeltaDiscoveryRequestSchema>): Buffer {
  return Buffer.from(toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, init)));
}

/** How a call ended: its gRPC status, or its HTTP status if it was not gRPC. */
function toldAs({ grpcStatus, httpStatus }: CallEnd): string {
  return grpcStatus === undefined ? `HTTP ${httpStatus}` : `gRPC ${grpcStatus}`;
}

/** Sends a flood until it is complete or the server closes the connection. */
async function send({ deaf, first, again, atOnce, turns }: Flood, client: RawHttp2): Promise<void> {
  if (deaf) client.turnDeaf();
  await client.send(...first);
  for (let turn = 0; turn < turns && !client.closed; turn += atOnce) {
    await client.send(...Array.from({ length: atOnce }, (_, index) => again(turn + index)).flat());
    // Only a turn of the event loop shows that the connection is closed.
    await nextTurn();
  }
}

/** Waits until the server has closed the connection. */
function hangsUp(client: RawHttp2): Promise<true> {
  return eventually("the server hangs up", () => client.closed, { seconds: 20 });
}

describe("a server under attack still serves well-behaved clients", () => {
  test.each(badFrames)("with %s: the connection ends with HTTP/2's error %i", async (_name, error, frames) => {
    using client = await RawHttp2.open(port);
    await client.send(...frames);
    await hangsUp(client);
    expect(client.goAway).toBe(error);
    expect(await troubles()).toEqual([]);
  });

  test.each(noHttp2)("with %s: the connection ends", async (_name, bytes) => {
    using client = await RawHttp2.openBare(port);
    await client.send(bytes);
    await hangsUp(client);
    expect(await troubles()).toEqual([]);
  });

  test.each(badCalls)("with %s: the call ends with %s", async (_name, end, headers, body) => {
    using caller = await RawGrpcCaller.open(port);
    const call = caller.call(headers);
    if (headers[":method"] !== "GET") await call.send(body);
    expect(toldAs(await call.end())).toBe(end);
    expect(await troubles()).toEqual([]);
  });

  test("with a request of 64 MB: the server rejects it before the client has sent it", async () => {
    using caller = await RawGrpcCaller.open(port);
    const call = caller.call(byClient);
    await call.send(grpcFrame(Buffer.alloc(0), { length: 64 << 20 }));
    const piece = Buffer.alloc(1 << 20);
    for (let sent = 0; sent < 64 && !call.over; sent++) await call.send(piece);
    expect(toldAs(await call.end())).toBe("gRPC 8");
    expect(binnacle.rssMb - rssBeforeMb).toBeLessThan(64);
    expect(await troubles()).toEqual([]);
  });

  test.each(floods)("with a flood of $name", async (flood) => {
    // Each from its own address: after a flood of resets the server rejects the address for a while.
    using client = await RawHttp2.open(port, undefined, `127.0.0.${10 + floods.indexOf(flood)}`);
    await send(flood, client);
    if (flood.cutOff) await hangsUp(client);
    expect(await troubles()).toEqual([]);
  });

  test("with 1 000 connections that send nothing, and 1 000 that send only a beginning", async () => {
    const files = binnacle.openFiles;
    const clients: RawHttp2[] = [];
    // A few at a time: the system itself drops connections that do not fit into its queue.
    for (let round = 0; round < 20; round++) {
      const opened = Array.from({ length: 50 }, () => [RawHttp2.open(port), RawHttp2.openBare(port)]);
      clients.push(...(await Promise.all(opened.flat())));
    }
    // Connections of earlier tests may end meanwhile.
    const accepted = () => binnacle.openFiles >= files + clients.length - 10;
    await eventually("they are accepted", accepted, { seconds: 20 });
    expect(await troubles()).toEqual([]);
    for (const client of clients) client[Symbol.dispose]();
    await eventually("all of them are forgotten", () => binnacle.openFiles <= files, { seconds: 20 });
  });

  test("with clients that subscribe to everything and never open their window", async () => {
    const noWindow = Buffer.from([0, settingInitialWindow, 0, 0, 0, 0]);
    const clients = await Promise.all(Array.from({ length: 200 }, () => RawHttp2.open(port, noWindow)));
    const ask = http2Frame(FrameType.data, 0, 1, grpcFrame(firstRequest(typeUrls.CDS)));
    for (const client of clients)
      await client.send(http2Frame(FrameType.headers, FrameFlag.endHeaders, 1, adsCall), ask);
    for (let edit = 0; edit < 20; edit++) await steadyFleet.receivesChange();
    expect(await troubles()).toEqual([]);
    for (const client of clients) client[Symbol.dispose]();
  });

  test(`with ${mutations} randomly damaged requests: none causes an internal error`, {
    timeout: 3_600_000,
  }, async () => {
    using caller = await RawGrpcCaller.open(port);
    const ends = new Map<string, number>();
    for (let sent = 0; sent < mutations; ) {
      const { path, requests } = random.pick(protocols);
      const call = caller.call({ ":path": path });
      // The server admits most calls first, because a server is vulnerable after that.
      if (!random.once(4)) await call.send(grpcFrame(random.pick(requests.filter((_, index) => index % 4 === 0))));
      for (let turns = 1 + random.below(5); turns > 0 && !call.over; turns--, sent++) {
        await call.send(grpcFrame(mutated(random.pick(requests), random, requests)));
      }
      const end = toldAs(await call.end());
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    expect([...ends.keys()].toSorted()).toEqual(["gRPC 0", "gRPC 3"]);
    expect(await troubles()).toEqual([]);
  });

  test("with nodes that would fill its memory: the server rejects them and serves on", async () => {
    const env = { ...process.env, NODE_OPTIONS: "--max-old-space-size=128" };
    await using small = await startBinnacle({ dir: mesh.path, env });
    using caller = await RawGrpcCaller.open(small.xdsPort);
    const ends = new Set<string>();
    for (const bytes of [4_000_000, 250_000].flatMap((size) => Array<number>(20).fill(size))) {
      const call = caller.call(byClient);
      await call.send(grpcFrame(requestOf(largeNode(gatewayNode.id, bytes), typeUrls.CDS)));
      ends.add(toldAs(await call.end()));
    }
    expect([...ends]).toEqual(["gRPC 8", "gRPC 3"]);
    using client = new SotwClient(small.xdsPort, gatewayNode);
    client.subscribe(typeUrls.CDS);
    expect((await client.next(typeUrls.CDS)).resources).not.toEqual([]);
  });

  test("at the end the clients hold the resources of a fresh server", async () => {
    await steadyFleet.holdsFreshState();
    expect(await troubles()).toEqual([]);
  });
});
