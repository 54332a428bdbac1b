import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DiscoveryRequestSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { changed, discoveryRig, mesh } from "../../testing/envoy/discovery-rig.ts";
import { ToyControlPlane, toyEnvoy } from "../../testing/envoy/toy-control-plane.ts";
import type { ToyMesh } from "../../testing/envoy/toy-mesh.ts";
import { streamPair } from "../../testing/stream/stream-pair.ts";
import { until } from "../../testing/until.ts";
import { clusterType, endpointType } from "../../xds/type-urls.ts";
import type { PartFamily } from "./generator.ts";

const node = { id: "router~127.0.0.1~gw.toy~toy.svc.cluster.local" };

function request(init: MessageInitShape<typeof DiscoveryRequestSchema>): Uint8Array {
  return toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init));
}

describe("the discovery server", () => {
  test("refuses streams until it is ready", () => {
    const { server, observer } = discoveryRig();
    const { server: stream, client } = streamPair();
    server.serve(stream, { mode: "sotw" });
    expect(client.status).toMatchObject({ code: GrpcStatus.UNAVAILABLE });
    expect(observer.refusals).toHaveLength(1);
  });

  test("debounces configuration, but not endpoints", async () => {
    const { server, captures, clock } = discoveryRig();
    server.configUpdate(changed("VirtualService/shop/reviews"));
    server.configUpdate(changed("Endpoints/shop/ratings"));
    await Promise.resolve();
    expect(captures).toEqual(["endpoints"]);
    clock.advance(10);
    await server.idle();
    expect(captures).toEqual(["endpoints", "everything"]);
  });

  test("delays endpoints of a service with a pending change until that change", async () => {
    const { server, captures, clock } = discoveryRig();
    server.configUpdate(changed("Service/shop/reviews"));
    server.configUpdate(changed("Endpoints/shop/ratings", "Endpoints/shop/reviews"));
    clock.advance(10);
    await server.idle();
    expect(captures).toEqual(["everything"]);
  });

  test("merges a burst into one push", async () => {
    const { server, captures, clock } = discoveryRig();
    for (let edit = 0; edit < 50; edit++) {
      server.configUpdate(changed(`VirtualService/shop/${edit}`));
      clock.advance(1);
    }
    clock.advance(10);
    await server.idle();
    expect(captures).toEqual(["everything"]);
  });

  test("reports the debounce time from the oldest change on, and the time until a proxy has the change", async () => {
    const { server, observer, clock } = discoveryRig();
    server.markReady();
    const envoy = toyEnvoy("sotw");
    envoy.connect(server);
    while (envoy.step());
    const edit = { ...changed("VirtualService/shop/a"), forced: true };
    clock.advance(5);
    server.configUpdate({ ...edit, startedAt: clock.now() });
    clock.advance(4);
    server.configUpdate({ ...edit, startedAt: clock.now() });
    clock.advance(10);
    await server.idle();
    expect(observer.debounced).toEqual([14]);
    expect(observer.convergences).toEqual([14]);
    expect(observer.waits).toEqual([0]);
  });

  test("pushes nothing more after it was stopped, and leaves no timer", async () => {
    const { server, captures, clock } = discoveryRig();
    server.configUpdate(changed("VirtualService/shop/reviews"));
    server.stop();
    expect(clock.pending).toBe(0);
    clock.advance(1_000);
    await server.idle();
    expect([server.ready, captures]).toEqual([false, []]);
  });

  test.each(["VirtualService/shop/reviews", "Endpoints/shop/ratings"])(
    "does not retry after it was stopped if a push failed for %s",
    async (id) => {
      const { server, captures, clock } = discoveryRig(undefined, () => {
        throw new Error("planted");
      });
      server.configUpdate(changed(id));
      clock.advance(10);
      await server.idle();
      expect([captures.length, clock.pending]).toEqual([1, 1]);
      server.stop();
      expect(clock.pending).toBe(0);
    },
  );

  test("serves no waiting connection after it was stopped", async () => {
    const { server, observer, clock } = discoveryRig(
      undefined,
      (revision) => ({ ...mesh, clusters: new Map([["a", revision + 1]]) }),
      1,
    );
    server.markReady();
    const streams = [1, 2].map(() => {
      const { server: stream, client } = streamPair();
      server.serve(stream, { mode: "sotw" });
      client.send(request({ typeUrl: clusterType, node }));
      const { nonce, versionInfo } = fromBinary(DiscoveryResponseSchema, client.received[0] ?? new Uint8Array());
      client.send(request({ typeUrl: clusterType, responseNonce: nonce, versionInfo }));
      client.stall();
      return client;
    });
    server.configUpdate({ ...changed("VirtualService/shop/reviews"), forced: true });
    clock.advance(10);
    await until(() => observer.waits.length === 1);
    server.stop();
    for (const client of streams) client.resume();
    await server.idle();
    expect(observer.waits).toHaveLength(1);
  });

  test("refuses bytes that are no request, and keeps running", async () => {
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

  test("ignores an unknown type", () => {
    const { server } = discoveryRig();
    server.markReady();
    const { server: stream, client } = streamPair();
    server.serve(stream, { mode: "sotw" });
    client.send(request({ typeUrl: "type.googleapis.com/no.such.Type", node }));
    expect(client.status).toBeUndefined();
    expect(client.received).toEqual([]);
  });
});

/** Records the arguments of parts in each push. */
function told(meshAt?: (sequence: number) => ToyMesh) {
  const heard: (readonly string[] | "everything")[] = [];
  const world = discoveryRig((family, { typeUrl }) => {
    const generate: PartFamily["generate"] = (run) => {
      if (typeUrl === clusterType) heard.push(run.since === undefined ? "everything" : [...run.since.changed]);
      return family.generate(run);
    };
    return { ...family, generate };
  }, meshAt);
  world.server.markReady();
  toyEnvoy("sotw").connect(world.server);
  heard.length = 0;
  return { ...world, heard };
}

describe("a push", () => {
  test("that is forced rebuilds everything", async () => {
    const { server, clock, heard } = told();
    server.pushAll("debug");
    clock.advance(10);
    await server.idle();
    expect(heard).toEqual(["everything"]);
  });

  test("of configuration passes parts also the changes before its context was captured", async () => {
    const { server, clock, heard } = told((sequence) => {
      if (sequence === 1) server.configUpdate(changed("VirtualService/shop/b"));
      return mesh;
    });
    server.configUpdate(changed("VirtualService/shop/a"));
    clock.advance(10);
    await until(() => heard.length === 1);
    expect(heard).toEqual([["VirtualService/shop/a", "VirtualService/shop/b"]]);
    clock.advance(10);
    await server.idle();
    expect(heard.slice(1)).toEqual([["VirtualService/shop/b"]]);
  });

  test("of endpoints passes parts no other change", async () => {
    const { server, heard } = told();
    server.configUpdate(changed("VirtualService/shop/a"));
    server.configUpdate(changed("Endpoints/shop/ratings"));
    await until(() => heard.length === 1);
    expect(heard).toEqual([["Endpoints/shop/ratings"]]);
    server.stop();
    expect(server.ready).toBe(false);
  });
});

describe("a slow reader", () => {
  test("gets no new response until it has read the last one, and then continues by itself", async () => {
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

  test("gets the newest state once, however many pushes it missed", async () => {
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
