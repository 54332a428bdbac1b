import { beforeEach, describe, expect, test } from "vitest";
import { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import { type MeshService, meshServices } from "../../../config/mesh/mesh-service.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { clusterEndpoint, clusterService } from "../../../testing/config/cluster-service.ts";
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

/** The ids that the work changed, sorted. */
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

  test("that are only another name are none", () => {
    put({ access: { type: "alias", externalName: "example.com" } });
    expect(environment.services.size).toBe(0);
  });

  test("know the names that lead to them, also by way of each other, but none that leads in a circle", () => {
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

  test("are exported as they say, else as the mesh says", () => {
    put({ exportTo: ["."] });
    expect(environment.services.get("shop/cart.shop")?.exportTo).toEqual(["."]);
    put({});
    expect(environment.services.get("shop/cart.shop")?.exportTo).toEqual(["*"]);
  });

  test("may name further certificates, in full or by account", () => {
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
  test("have a place, and speak mutual TLS if their pod says so", () => {
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

  test("that start or end are not called, but their own proxies serve them", () => {
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

  test("that start are listed as ill where clients prefer what is near, or those would never go further", () => {
    const starting = clusterEndpoint("10.0.0.2", { health: "unhealthy" });
    put({ trafficDistribution: "PreferClose", endpoints: [clusterEndpoint("10.0.0.1"), starting] });
    expect(environment.endpoints.get("shop/cart.shop")?.endpoints.map(({ health }) => health)).toEqual([
      "healthy",
      "unhealthy",
    ]);
  });

  test("that end and then go away change nothing for clients", () => {
    const ending = clusterEndpoint("10.0.0.2", { health: "terminating" });
    put({ endpoints: [clusterEndpoint("10.0.0.1"), ending] });
    expect(changedBy(() => put({ endpoints: [clusterEndpoint("10.0.0.1")] }))).toEqual(["Instance//10.0.0.2"]);
  });

  test("that change are a change of endpoints alone", () => {
    put({ endpoints: [clusterEndpoint("10.0.0.1")] });
    const changed = changedBy(() => put({ endpoints: [clusterEndpoint("10.0.0.1"), clusterEndpoint("10.0.0.2")] }));
    expect(changed).toEqual(["Endpoints/shop/cart.shop", "Instance//10.0.0.2"]);
  });
});
