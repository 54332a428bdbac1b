import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { changed, discoveryRig, mesh, tampered } from "../../testing/envoy/discovery-rig.ts";
import { toyEnvoy } from "../../testing/envoy/toy-control-plane.ts";
import { toyContext } from "../../testing/envoy/toy-mesh.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingObserver } from "../../testing/recording/recording-observer.ts";
import { warmingRules } from "../../xds/stream/warming.ts";
import { clusterType, routeType } from "../../xds/type-urls.ts";
import { DiscoveryServer } from "./discovery-server.ts";

describe("a failure", () => {
  test("of one generator keeps the last good resources and the other types, and recovers by itself", async () => {
    let broken = false;
    const { server, observer, clock } = discoveryRig((family, { typeUrl }) => ({
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

  test("of a type that never worked gives no response instead of an empty one", () => {
    const { server } = discoveryRig((family, { typeUrl }) => ({
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

  test("in serving one proxy closes only that stream", async () => {
    let broken = "";
    const { server, observer, clock } = discoveryRig((family) => ({
      ...family,
      parts: (proxy, push, asked) => {
        // Inputs that depend on the context are made again with each push.
        if (push.sequence >= 0 && proxy.namespace === broken) throw new Error("planted");
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

  test("to capture a context keeps the old one, and the request joins the next push", async () => {
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
