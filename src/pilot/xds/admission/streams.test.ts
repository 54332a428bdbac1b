import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import { emptyMesh } from "../../../testing/envoy/toy-control-plane.ts";
import { toyContext, toyGenerators } from "../../../testing/envoy/toy-mesh.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { RecordingObserver } from "../../../testing/recording/recording-observer.ts";
import { streamPair } from "../../../testing/stream/stream-pair.ts";
import { warmingRules } from "../../../xds/stream/warming.ts";
import { clusterType, endpointType } from "../../../xds/type-urls.ts";
import { DiscoveryServer, type DiscoveryServerOptions, defaultLimits } from "../discovery-server.ts";

const node = { id: "router~127.0.0.1~gw.toy~toy.svc.cluster.local" };
const firstRequest = toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, { typeUrl: clusterType, node }));

function rig(more: Partial<DiscoveryServerOptions> = {}) {
  const clock = new FakeClock();
  const observer = new RecordingObserver();
  const server = new DiscoveryServer({
    clock,
    turn: () => Promise.resolve(),
    generators: toyGenerators(),
    push: toyContext(0, emptyMesh),
    capture: (previous) => toyContext(previous.sequence + 1, emptyMesh),
    observer,
    debounce: { quietMs: 10, maxWaitMs: 100 },
    ackTimeoutMs: 15_000,
    warmingRules,
    ...more,
  });
  server.markReady();
  const open = () => {
    const pair = streamPair();
    server.serve(pair.server, { mode: "sotw" });
    pair.client.send(firstRequest);
    return pair;
  };
  return { clock, observer, server, open };
}

describe("streams above the rate limit", () => {
  const limits = { ...defaultLimits, streamsPerSecond: 2 };

  test("wait for their turn, and their messages are kept meanwhile", async () => {
    const { clock, open } = rig({ limits });
    const [first, second] = [open(), open()];
    expect([first, second].map(({ client }) => client.received.length)).toEqual([1, 0]);
    clock.advance(500);
    await Promise.resolve();
    await Promise.resolve();
    expect(second.client.received).toHaveLength(1);
  });

  test("are refused when they would wait longer than a second, with a retry time", () => {
    const { open, observer } = rig({ limits });
    const streams = Array.from({ length: 4 }, open);
    expect(streams.map(({ client }) => client.status?.code)).toEqual([
      undefined,
      undefined,
      undefined,
      GrpcStatus.RESOURCE_EXHAUSTED,
    ]);
    expect(observer.refusals).toEqual(["too many new streams at once: try again in 2000 ms"]);
  });
});

describe("lifecycle hooks", () => {
  test("receive the messages that they handle, and learn when a known proxy leaves", () => {
    const heard: string[] = [];
    const lifecycleHooks = {
      arrived: () => undefined,
      left: ({ id }: { readonly id: string }) => heard.push(`left ${id}`),
      handles: (typeUrl: string) => typeUrl === "health",
      answer: ({ typeUrl }: { readonly typeUrl: string }) => heard.push(typeUrl),
    };
    const { open, observer } = rig({ lifecycleHooks });
    const { client } = open();
    client.send(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, { typeUrl: "health" })));
    expect(client.received).toHaveLength(1);
    client.disconnect();
    expect(heard).toEqual(["health", "left gw.toy"]);
    expect(observer.unknownTypes).toEqual([]);
  });
});

describe("a client that requests too many names", () => {
  test("is disconnected, and the others stay", () => {
    const { server, open } = rig();
    const other = open();
    const { server: stream, client } = streamPair();
    server.serve(stream, { mode: "delta" });
    for (let batch = 0; batch < 2; batch++) {
      const names = Array.from({ length: 60_000 }, (_, index) => `${batch}-${index}`);
      const init = { typeUrl: endpointType, resourceNamesSubscribe: names, ...(batch === 0 && { node }) };
      client.send(toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, init)));
    }
    expect(client.status).toEqual({
      code: GrpcStatus.RESOURCE_EXHAUSTED,
      message: "EDS: more than 100000 names at a time",
    });
    expect(other.client.status).toBeUndefined();
    expect(server.connections.size).toBe(1);
  });
});

describe("a context that cannot be captured", () => {
  test("is retried automatically, and pending requests are pushed", async () => {
    let fail = true;
    const made: number[] = [];
    const { server, clock, observer } = rig({
      capture: (previous) => {
        if (fail) throw new Error("planted");
        made.push(clock.now());
        return toyContext(previous.sequence + 1, emptyMesh);
      },
    });
    server.pushAll("debug");
    clock.advance(10);
    await server.idle();
    expect(observer.failures.map(({ message }) => message)).toEqual(["planted"]);
    expect(server.settled).toBe(false);
    fail = false;
    clock.advance(100);
    await server.caughtUp();
    expect(made).toEqual([110]);
    expect(server.settled).toBe(true);
  });
});

describe("endpoints", () => {
  test("use the debounce of configuration if the option is set", async () => {
    const captured: string[] = [];
    const limits = { ...defaultLimits, debounceEndpoints: true };
    const { server, clock } = rig({
      limits,
      capture: (previous, what) => {
        captured.push(what);
        return toyContext(previous.sequence + 1, emptyMesh);
      },
    });
    const changed = new Set(["Endpoints/shop/reviews" as never]);
    server.configUpdate({ changed, forced: false, reasons: new Map([["endpoint", 1]]), startedAt: 0 });
    await Promise.resolve();
    expect(captured).toEqual([]);
    clock.advance(10);
    await server.idle();
    expect(captured).toEqual(["everything"]);
  });
});
