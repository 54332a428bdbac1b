import { beforeEach, describe, expect, test } from "vitest";
import { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import { type MeshService, meshServices } from "../../../config/mesh/mesh-service.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { clusterEndpoint, clusterService } from "../../../testing/config/fake-cluster-service.ts";
import { buildEnvironment, type Environment } from "../environment.ts";
import { pushRequestFor } from "../push-request-for.ts";

let graph: Graph;
let environment: Environment;

beforeEach(() => {
  graph = new Graph();
  environment = buildEnvironment(graph, { domain: "cluster.local", clusterId: "c1" });
});

function put(spec: Partial<MeshService>): void {
  const config = clusterService(spec);
  environment.inputs.get(meshServices)?.set(configKey(config), config);
}

/** The ids that the callback changed, sorted. */
function changedBy(work: () => void): readonly string[] {
  const commit = graph.batch(work);
  const request = commit && pushRequestFor(commit, environment, 5);
  return [...(request?.changed ?? [])].toSorted(compareTexts);
}

/** `address:port` of the endpoints of cart.shop. */
function addresses(): readonly string[] | undefined {
  return environment.endpoints.get("shop/cart.shop")?.endpoints.map(({ address, port }) => `${address}:${port}`);
}

describe("services of a cluster", () => {
  test("are called at their addresses, or at their endpoints' if they are headless", () => {
    put({ access: { type: "virtual", addresses: ["10.9.0.1"] } });
    expect(environment.services.get("shop/cart.shop")).toMatchObject({
      addresses: ["10.9.0.1"],
      resolution: "static",
      ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 80 }],
      owner: "Service/shop/cart",
    });
    put({ access: { type: "headless" } });
    expect(environment.services.get("shop/cart.shop")).toMatchObject({ addresses: [], resolution: "passthrough" });
  });

  test("of type ExternalName are no services", () => {
    put({ access: { type: "alias", externalName: "example.com" } });
    expect(environment.services.size).toBe(0);
  });

  test("have aliases, also through other aliases, but never in a loop", () => {
    put({});
    const alias = (name: string, hostname: string, externalName: string) => {
      const config = { ...clusterService({ hostname, access: { type: "alias", externalName } }), name };
      environment.inputs.get(meshServices)?.set(configKey(config), config);
    };
    alias("basket", "basket.shop", "cart.shop");
    alias("bag", "bag.shop", "basket.shop");
    alias("a", "a.shop", "b.shop");
    alias("b", "b.shop", "a.shop");
    expect(environment.services.get("shop/cart.shop")?.aliases).toMatchObject([
      { hostname: "bag.shop", owner: "Service/shop/bag" },
      { hostname: "basket.shop", owner: "Service/shop/basket" },
    ]);
  });

  test("are exported by their annotation, else as the mesh sets", () => {
    put({ exportTo: ["."] });
    expect(environment.services.get("shop/cart.shop")?.exportTo).toEqual(["."]);
    put({});
    expect(environment.services.get("shop/cart.shop")?.exportTo).toEqual(["*"]);
  });

  test("may list further SANs, in full or by service account", () => {
    const annotations = {
      "alpha.istio.io/canonical-serviceaccounts": "a.example,b.example",
      "alpha.istio.io/kubernetes-serviceaccounts": "cart",
    };
    const config = { ...clusterService(), annotations };
    environment.inputs.get(meshServices)?.set(configKey(config), config);
    expect(environment.services.get("shop/cart.shop")?.subjectAltNames).toEqual([
      "a.example",
      "b.example",
      "spiffe://cluster.local/ns/shop/sa/cart",
    ]);
  });
});

describe("endpoints of a cluster", () => {
  test("have a locality, and use mTLS if their pod has the label", () => {
    const labels = { "security.istio.io/tlsMode": "istio" };
    const locality = { region: "eu", zone: "a", subzone: "" };
    put({ endpoints: [clusterEndpoint("10.0.0.2", { labels, locality }), clusterEndpoint("10.0.0.1")] });
    expect(environment.endpoints.get("shop/cart.shop")).toMatchObject({
      endpoints: [
        { address: "10.0.0.1", port: 8080, servicePortName: "http", locality: "", tlsMode: "disabled" },
        { address: "10.0.0.2", locality: "eu/a", tlsMode: "istio", serviceAccount: "cart", workloadName: "cart" },
      ],
      owners: ["Service/shop/cart"],
    });
  });

  test("that start or terminate are not called, but their own proxies serve them", () => {
    const [ready, starting, ending] = [
      clusterEndpoint("10.0.0.1"),
      clusterEndpoint("10.0.0.2", { health: "unhealthy" }),
      clusterEndpoint("10.0.0.3", { health: "terminating" }),
    ];
    put({ endpoints: [ready, starting, ending] });
    expect(addresses()).toEqual(["10.0.0.1:8080"]);
    expect(environment.instances.get("10.0.0.2")).toHaveLength(1);
    expect(environment.instances.get("10.0.0.3")).toHaveLength(1);
  });

  test("that start are unhealthy where clients prefer near endpoints, so that clients can fail over", () => {
    const starting = clusterEndpoint("10.0.0.2", { health: "unhealthy" });
    put({ trafficDistribution: "PreferClose", endpoints: [clusterEndpoint("10.0.0.1"), starting] });
    expect(environment.endpoints.get("shop/cart.shop")?.endpoints.map(({ health }) => health)).toEqual([
      "healthy",
      "unhealthy",
    ]);
  });

  test("that terminate and then disappear change nothing for clients", () => {
    const ending = clusterEndpoint("10.0.0.2", { health: "terminating" });
    put({ endpoints: [clusterEndpoint("10.0.0.1"), ending] });
    expect(changedBy(() => put({ endpoints: [clusterEndpoint("10.0.0.1")] }))).toEqual(["Instance//10.0.0.2"]);
  });

  test("that change cause an endpoint-only push", () => {
    put({ endpoints: [clusterEndpoint("10.0.0.1")] });
    const changed = changedBy(() => put({ endpoints: [clusterEndpoint("10.0.0.1"), clusterEndpoint("10.0.0.2")] }));
    expect(changed).toEqual(["Endpoints/shop/cart.shop", "Instance//10.0.0.2"]);
  });
});
