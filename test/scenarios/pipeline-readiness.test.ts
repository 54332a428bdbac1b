import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../../src/lib/grpc/grpc-stream.ts";
import { collectionOf, configIn } from "../../src/testing/config/configs-in.ts";
import { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../../src/testing/envoy/envoy-resources.ts";
import { ManualSource, writing } from "../../src/testing/galley/manual-source.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { clusterType, endpointType } from "../../src/xds/type-urls.ts";

const collection = collectionOf({ apiVersion: "networking.istio.io/v1", kind: "ServiceEntry" });

const service = (name: string) => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.shop.svc.cluster.local]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}]
`;

const node = { nodeId: "router~10.0.8.1~gw.istio-system~istio-system.svc.cluster.local", metadata: {} };

/** A source that has a service, and has not sent it yet. */
function slowSource(name: string): ManualSource {
  const source = new ManualSource("slow", [collection]);
  source.change([writing(collection, configIn(service(name), { source: source.name }))]);
  return source;
}

describe.each(["sotw", "delta"] as const)("a server that starts, %s", (mode) => {
  test("rejects proxies until its slowest source has synced, and returning proxies keep their resources", async () => {
    const before = await ScenarioMesh.serving(`${service("reviews")}---${service("ratings")}`);
    const proxy = new EnvoyModel(mode, readEnvoyResource, node);
    proxy.connect(before.discovery);
    await before.settle([proxy]);
    const held = () => [clusterType, endpointType].map((type) => proxy.names(type));
    const all = held();

    // Another process takes over: it has read one of its two sources.
    const slow = slowSource("ratings");
    const after = new ScenarioMesh({ sources: [slow] });
    after.apply(service("reviews"));
    await after.start();
    proxy.disconnect();
    proxy.connect(after.discovery);
    expect(proxy.stream?.status).toMatchObject({ code: GrpcStatus.UNAVAILABLE });
    await after.settle([proxy]);
    expect(held()).toEqual(all);

    // The objects of the slow source are in the context before any proxy is admitted.
    slow.drain();
    await after.open();
    proxy.connect(after.discovery);
    expect(proxy.stream?.status).toBeUndefined();
    await after.settle([proxy]);
    expect(held()).toEqual(all);
    expect(proxy.broken).toEqual([]);
  });

  test("is not ready with its sources alone: their objects must be in a context", async () => {
    const slow = slowSource("ratings");
    const mesh = new ScenarioMesh({ sources: [slow] });
    await mesh.start();
    slow.drain();
    let caughtUp = false;
    const done = (async () => {
      await mesh.discovery.caughtUp();
      caughtUp = true;
    })();
    await Promise.resolve();
    expect(caughtUp).toBe(false);
    mesh.clock.advance(10);
    await done;
    const proxy = mesh.connect(mode, node);
    expect(proxy.stream?.status).toMatchObject({ code: GrpcStatus.UNAVAILABLE });
    await mesh.open();
    const later = mesh.connect(mode, node);
    await mesh.settle([later]);
    expect(later.names(clusterType)).toContain("outbound|80||ratings.shop.svc.cluster.local");
  });
});
