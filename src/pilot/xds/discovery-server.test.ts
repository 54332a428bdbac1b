import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { configId } from "../../config/config.ts";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { ToyControlPlane, toyEnvoy } from "../../testing/envoy/toy-control-plane.ts";
import { type ToyMesh, toyContext, toyGenerators } from "../../testing/envoy/toy-mesh.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingObserver } from "../../testing/recording/recording-observer.ts";
import { streamPair } from "../../testing/stream/stream-pair.ts";
import { warmingRules } from "../../xds/stream/warming.ts";
import { clusterType, endpointType, routeType } from "../../xds/type-urls.ts";
import type { PushRequest } from "../model/push-request.ts";
import { DiscoveryServer } from "./discovery-server.ts";
import type { Generator, PartFamily } from "./generator.ts";

const mesh: ToyMesh = {
  clusters: new Map([["a", 1]]),
  endpoints: new Map([["a", 1]]),
  routes: new Map([["r", ["a"]]]),
};

const changed = (...ids: readonly string[]): PushRequest => ({
  changed: new Set(ids.map((id) => configId(...(id.split("/") as [string, string, string])))),
  forced: false,
  reasons: new Map([["config", 1]]),
  startedAt: 0,
});

const node = { id: "router~127.0.0.1~gw.toy~toy.svc.cluster.local" };

function request(init: MessageInitShape<typeof DiscoveryRequestSchema>): Uint8Array {
  return toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init));
}

type Tamper = (family: PartFamily, generator: Generator) => PartFamily;

/** A server whose captures are recorded, on generators that a test may tamper with. */
function rig(tamper: Tamper = (family) => family) {
  const clock = new FakeClock();
  const observer = new RecordingObserver();
  const captures: string[] = [];
  let sequence = 0;
  const server = new DiscoveryServer({
    clock,
    turn: () => Promise.resolve(),
    generators: tampered(tamper),
    push: toyContext(0, mesh),
    capture: (_previous, what) => {
      captures.push(what);
      return toyContext(++sequence, mesh);
    },
    observer,
    debounce: { quietMs: 10, maxWaitMs: 100 },
    ackTimeoutMs: 15_000,
    warmingRules,
  });
  return { clock, observer, captures, server };
}

function tampered(tamper: Tamper): readonly Generator[] {
  return toyGenerators().map((generator) => ({
    ...generator,
    families: generator.families.map((family) => tamper(family, generator)),
  }));
}

describe("the discovery server", () => {
  test("turns streams away until it is ready", () => {
    const { server, observer } = rig();
    const { server: stream, client } = streamPair();
    server.serve(stream, { mode: "sotw" });
    expect(client.status).toMatchObject({ code: GrpcStatus.UNAVAILABLE });
    expect(observer.refusals).toHaveLength(1);
  });

  test("waits for quiet before it pushes configuration, but not endpoints", async () => {
    const { server, captures, clock } = rig();
    server.configUpdate(changed("VirtualService/shop/reviews"));
    server.configUpdate(changed("Endpoints/shop/ratings"));
    await Promise.resolve();
    expect(captures).toEqual(["endpoints"]);
    clock.advance(10);
    await server.idle();
    expect(captures).toEqual(["endpoints", "everything"]);
  });

  test("lets endpoints of a service that is about to change wait for it", async () => {
    const { server, captures, clock } = rig();
    server.configUpdate(changed("Service/shop/reviews"));
    server.configUpdate(changed("Endpoints/shop/reviews"));
    clock.advance(10);
    await server.idle();
    expect(captures).toEqual(["everything"]);
  });

  test("makes one push of a burst", async () => {
    const { server, captures, clock } = rig();
    for (let edit = 0; edit < 50; edit++) {
      server.configUpdate(changed(`VirtualService/shop/${edit}`));
      clock.advance(1);
    }
    clock.advance(10);
    await server.idle();
    expect(captures).toEqual(["everything"]);
  });

  test("refuses bytes that are no request, and lives", async () => {
    const plane = new ToyControlPlane(mesh);
    const { server: stream, client } = streamPair();
    plane.server.serve(stream, { mode: "sotw" });
    client.send(Uint8Array.of(0x22, 200, 1, 1));
    expect(client.status).toMatchObject({ code: GrpcStatus.INVALID_ARGUMENT });
    const envoy = toyEnvoy("sotw");
    plane.connect(envoy);
    await plane.settle(envoy);
    expect(envoy.names(clusterType)).toEqual(["a"]);
  });

  test("ignores a type it does not know", () => {
    const { server } = rig();
    server.markReady();
    const { server: stream, client } = streamPair();
    server.serve(stream, { mode: "sotw" });
    client.send(request({ typeUrl: "type.googleapis.com/no.such.Type", node }));
    expect(client.status).toBeUndefined();
    expect(client.received).toEqual([]);
  });
});

describe("a slow reader", () => {
  test("is sent nothing more until it has read, and then goes on by itself", async () => {
    const names = Array.from({ length: 2000 }, (_, index) => `cluster-${index}`);
    const large = { ...mesh, clusters: new Map(names.map((name) => [name, 1])) };
    const plane = new ToyControlPlane(large);
    const { server: stream, client } = streamPair();
    plane.server.serve(stream, { mode: "sotw" });
    client.stall();
    client.send(request({ typeUrl: clusterType, node }));
    client.send(request({ typeUrl: endpointType, resourceNames: ["a"] }));
    expect(stream.queued).toBeGreaterThan(64 * 1024);
    expect(plane.observer.sent.map(({ type }) => type)).toEqual(["CDS"]);
    client.resume();
    expect(plane.observer.sent.map(({ type }) => type)).toEqual(["CDS", "EDS"]);
  });

  test("gets the newest state once, whatever it missed", async () => {
    const plane = new ToyControlPlane(mesh);
    const envoy = toyEnvoy("delta");
    plane.connect(envoy);
    await plane.settle(envoy);
    const before = plane.observer.sent.length;
    for (let revision = 2; revision < 20; revision++) {
      plane.edit({ clusters: new Map([["a", revision]]) });
      await plane.pushed();
    }
    // The first edit left, with its endpoints; the others wait for the acknowledgement that the client does not give.
    expect(plane.observer.sent.slice(before).map(({ type }) => type)).toEqual(["CDS", "EDS"]);
    expect(plane.observer.delays).toBeGreaterThan(0);
    await plane.settle(envoy);
    expect(plane.observer.sent.slice(before).map(({ type }) => type)).toEqual(["CDS", "EDS", "CDS", "EDS"]);
    expect(envoy.held.get(clusterType)?.get("a")?.content.text).toBe('{"revision":19}');
  });
});

describe("a failure", () => {
  test("of one generator leaves the last good resources and the other types alone, and clears itself", async () => {
    let broken = false;
    const { server, observer, clock } = rig((family, { typeUrl }) => ({
      ...family,
      generate: (run) => {
        if (broken && typeUrl === routeType) throw new Error("planted");
        return family.generate(run);
      },
    }));
    server.markReady();
    const envoy = toyEnvoy("delta");
    envoy.connect(server);
    while (envoy.step());
    broken = true;
    server.configUpdate(changed("VirtualService/shop/reviews"));
    clock.advance(10);
    await server.idle();
    expect([...server.catalogue.problems].map(({ type, cause }) => [type, cause.message])).toEqual([
      ["RDS", "planted"],
    ]);
    expect(envoy.names(routeType)).toEqual(["r"]);
    broken = false;
    server.configUpdate(changed("Service/other/unrelated"));
    clock.advance(10);
    await server.idle();
    expect([...server.catalogue.problems]).toEqual([]);
    expect(observer.open).toBe(1);
  });

  test("of a type that never worked means no answer, not an empty one", () => {
    const { server } = rig((family, { typeUrl }) => ({
      ...family,
      generate: (run) => {
        if (typeUrl === clusterType) throw new Error("planted");
        return family.generate(run);
      },
    }));
    server.markReady();
    const envoy = toyEnvoy("sotw");
    envoy.connect(server);
    expect(envoy.step()).toBe(false);
  });

  test("in serving one proxy ends that stream and no other", async () => {
    let broken = "";
    const { server, observer, clock } = rig((family) => ({
      ...family,
      parts: (proxy, push, asked) => {
        if (proxy.namespace === broken) throw new Error("planted");
        return family.parts(proxy, push, asked);
      },
    }));
    server.markReady();
    const envoys = ["good", "bad"].map((namespace) => toyEnvoy("sotw", namespace));
    for (const envoy of envoys) envoy.connect(server);
    broken = "bad";
    server.configUpdate(changed("VirtualService/shop/reviews"));
    clock.advance(10);
    await server.idle();
    expect(envoys.map(({ stream }) => stream?.status?.code)).toEqual([undefined, GrpcStatus.INTERNAL]);
    expect(observer.failures.map(({ message }) => message)).toEqual(["planted"]);
    expect(server.connections.size).toBe(1);
  });

  test("to make a context keeps the old one, and the request goes with the next", async () => {
    const requests: number[] = [];
    const observer = new RecordingObserver();
    const clock = new FakeClock();
    let fail = true;
    const server = new DiscoveryServer({
      clock,
      turn: () => Promise.resolve(),
      generators: tampered((family) => ({
        ...family,
        generate: (run) => {
          requests.push(run.since?.changed.size ?? -1);
          return family.generate(run);
        },
      })),
      push: toyContext(0, mesh),
      capture: () => {
        if (fail) throw new Error("planted");
        return toyContext(1, mesh);
      },
      observer,
      debounce: { quietMs: 10, maxWaitMs: 100 },
      ackTimeoutMs: 15_000,
      warmingRules,
    });
    server.markReady();
    toyEnvoy("sotw").connect(server);
    requests.length = 0;
    server.configUpdate(changed("VirtualService/shop/a"));
    clock.advance(10);
    await server.idle();
    expect(observer.failures.map(({ message }) => message)).toEqual(["planted"]);
    fail = false;
    server.configUpdate(changed("VirtualService/shop/b"));
    clock.advance(10);
    await server.idle();
    expect(requests).toEqual([2]);
  });
});
