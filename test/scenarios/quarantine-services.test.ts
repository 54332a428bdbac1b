import { describe, expect, test } from "vitest";
import { configId } from "../../src/config/config.ts";
import { clusterType } from "../../src/xds/type-urls.ts";
import {
  contentOf,
  freshContent,
  gateway,
  PoisonedMesh,
  route,
  service,
  theGateway,
} from "./quarantine/poisoned-mesh.ts";
import { base, serve, SharedStore } from "./quarantine/stored-mesh.ts";
import { StagedMesh } from "./rollout/staged-mesh.ts";
import { staged } from "./rollout/staged-objects.ts";

/** The proxies refuse a cluster of this port. */
const refusedPort = 666;

/** A service of Kubernetes. Galley converts it: Pilot holds no message of its kind. */
function kubernetesService(name: string, port: number): string {
  const spec = { clusterIP: "10.96.0.1", ports: [{ name: "http", port, targetPort: 8080 }] };
  return kubernetes("v1", "Service", name, { spec });
}

/** The name of its cluster. */
function clusterOf(name: string, port: number): string {
  return `outbound|${port}||${name}.shop.svc.cluster.local`;
}

/** A server with these objects, and a proxy. */
async function serving(mode: "sotw" | "delta", objects: readonly string[]) {
  const setting = await PoisonedMesh.start(...objects);
  const envoy = setting.connect(mode, gateway(0));
  setting.spoil(`|${refusedPort}|`, [envoy]);
  await setting.settle();
  return { setting, envoy };
}

function endpointsOf(name: string, ...addresses: readonly string[]): string {
  return kubernetes("discovery.k8s.io/v1", "EndpointSlice", name, {
    labels: { "kubernetes.io/service-name": name },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: [{ addresses, conditions: { ready: true } }],
  });
}

/** An object of namespace `shop`. Only a Service has a spec; the fields of others are beside their metadata. */
function kubernetes(apiVersion: string, kind: string, name: string, fields: Readonly<Record<string, unknown>>): string {
  const { labels = {}, ...content } = fields;
  return JSON.stringify({ apiVersion, kind, metadata: { namespace: "shop", name, labels }, ...content });
}

describe.each(["sotw", "delta"] as const)("a service of Kubernetes, %s", (mode) => {
  test("is left out if proxies refuse its first version, while others follow edits", async () => {
    const { setting, envoy } = await serving(mode, base);
    await setting.apply(kubernetesService("reviews", refusedPort), route(1, "good"));
    expect(setting.refused).toEqual(["Service/shop/reviews: nothing"]);
    await setting.apply(route(0, "newer"));
    const others = [...base, route(0, "newer"), route(1, "good")];
    expect(contentOf(envoy)).toEqual(await freshContent(mode, gateway(0), others));
    await setting.apply(kubernetesService("reviews", 81));
    expect(setting.refused).toEqual([]);
    expect(envoy.names(clusterType)).toContain(clusterOf("reviews", 81));
    expect(setting.mesh.observer.failures).toEqual([]);
  });

  test("keeps its accepted version if proxies refuse a later one", async () => {
    const good = [...base, kubernetesService("reviews", 80)];
    const { setting, envoy } = await serving(mode, good);
    await setting.apply(kubernetesService("reviews", refusedPort), kubernetesService("other", 80));
    expect(setting.refused).toEqual(["Service/shop/reviews: earlier version"]);
    await setting.apply(route(0, "newer"));
    const others = [...good, kubernetesService("other", 80), route(0, "newer")];
    expect(contentOf(envoy)).toEqual(await freshContent(mode, gateway(0), others));
    expect(setting.mesh.observer.failures).toEqual([]);
  });

  test("is no obstacle to the search for another object of the same change", async () => {
    const { setting, envoy } = await serving(mode, base);
    await setting.apply(kubernetesService("reviews", 80), kubernetesService("other", 80), route(1, "poison"));
    expect(setting.refused).toEqual(["VirtualService/shop/vs-1: nothing"]);
    expect(envoy.names(clusterType)).toContain(clusterOf("reviews", 80));
    expect(setting.mesh.observer.failures).toEqual([]);
  });

  test("gets its endpoints while a change of another object is held back", async () => {
    const start = [
      theGateway,
      service("backend"),
      route(0, "old"),
      kubernetesService("reviews", 80),
      endpointsOf("reviews", "10.0.0.1"),
    ];
    const mesh = await StagedMesh.start(mode, 4, start);
    await mesh.setting.apply(staged(route(0, "new"), { wait: "60s" }));
    await mesh.pass(5);
    await mesh.setting.apply(endpointsOf("reviews", "10.0.0.1", "10.0.0.222"));
    expect([mesh.having("new"), mesh.having("10.0.0.222")]).toEqual([1, 4]);
    expect(mesh.setting.mesh.observer.failures).toEqual([]);
  });
});

test("an accepted service is not stored, because its endpoints are old after a restart, and the others are", async () => {
  const store = new SharedStore();
  const { setting, settle } = await serve(store, ...base, kubernetesService("reviews", 80), route(1, "first"));
  setting.spoil(`|${refusedPort}|`, [setting.connect("delta", gateway(0))]);
  await settle();
  await setting.apply(kubernetesService("reviews", refusedPort), route(1, "poison"));
  await settle();
  expect(setting.refused.toSorted()).toEqual([
    "Service/shop/reviews: earlier version",
    "VirtualService/shop/vs-1: earlier version",
  ]);
  expect(store.stored?.content).toContain(configId("VirtualService", "shop", "vs-1"));
  expect(store.stored?.content).not.toContain(configId("Service", "shop", "reviews"));
});
