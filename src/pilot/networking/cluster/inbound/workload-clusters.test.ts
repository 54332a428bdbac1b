import { describe, expect, test } from "vitest";
import { fakeEndpoint, fakeService } from "../../../../testing/model/fake-service.ts";
import { fakePolicy, fakePool } from "../../../../testing/model/fake-traffic-policy.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeRule } from "../../../../testing/model/traffic.ts";
import { fakeSidecar } from "../../../../testing/model/workload.ts";
import type { IngressListener } from "../../../model/scope/sidecar.ts";
import type { Service } from "../../../model/service/service.ts";
import type { ConnectionPool } from "../../../model/traffic/destination-rule.ts";
import { type WorkloadFacts, workloadClusters } from "./workload-clusters.ts";

const facts: WorkloadFacts = {
  workload: { addresses: ["10.0.0.1"], namespace: "shop", labels: {} },
  ref: { namespace: "shop", sidecar: "shop/default" },
  interception: "redirect",
  families: "v4",
};

function served(service: Service, port: number) {
  const { hostname, namespace } = service;
  return { hostname, namespace, endpoints: [fakeEndpoint({ address: "10.0.0.1", port })], owners: [] };
}

function ingress(number: number, changes: Partial<IngressListener> = {}): IngressListener {
  const port = { number, name: "http", protocol: "HTTP" } as const;
  return { port, bind: "", captureMode: "default", defaultEndpoint: "", connectionPool: undefined, ...changes };
}

const cart = fakeService();
const pay = fakeService({ hostname: "pay.shop", createdAt: 1 });
const services = [cart, pay];

describe("the clusters of a workload", () => {
  test("are one per port it listens on, with the services that have the same port in front of it", () => {
    const other = fakeService({ hostname: "x.shop", createdAt: 2, ports: [{ ...portOf(cart), number: 81 }] });
    const endpoints = [served(cart, 8080), served(pay, 8080), served(other, 8080), served(pay, 9090)];
    const push = pushOf({ services: [...services, other], endpoints });
    const clusters = workloadClusters(facts, push);
    expect(clusters.map(({ port, services: named }) => [port, named.map(({ hostname }) => hostname)])).toEqual([
      [8080, ["cart.shop", "pay.shop"]],
      [9090, ["pay.shop"]],
    ]);
    expect(clusters[0]).toMatchObject({ destination: { type: "original" }, families: "v4" });
  });

  test("go to localhost if the mesh sets this", () => {
    const push = pushOf({ services, endpoints: [served(cart, 8080)], mesh: { inboundMode: "localhost" } });
    const destination = (families: WorkloadFacts["families"]) =>
      workloadClusters({ ...facts, families }, push)[0]?.destination;
    expect(destination("dual")).toEqual({ type: "address", address: "127.0.0.1", port: 8080 });
    expect(destination("v6")).toEqual({ type: "address", address: "::1", port: 8080 });
  });

  test("are none without interception, unless its Sidecar has ingress listeners", () => {
    const endpoints = [served(cart, 8080)];
    const none = { ...facts, interception: "none" } as const;
    expect(workloadClusters(none, pushOf({ services, endpoints }))).toEqual([]);
    const sidecars = [fakeSidecar({ ingress: [ingress(9000, { defaultEndpoint: "127.0.0.1:8080" })] })];
    expect(workloadClusters(none, pushOf({ services, endpoints, sidecars }))).toMatchObject([
      { port: 9000, services: [], destination: { type: "address", address: "127.0.0.1", port: 8080 } },
    ]);
  });

  test("are only those of its Sidecar if it has ingress listeners, and know the service of a port", () => {
    const sidecars = [fakeSidecar({ ingress: [ingress(8080), ingress(8080), ingress(9000)] })];
    const push = pushOf({ services, endpoints: [served(cart, 8080), served(pay, 7070)], sidecars });
    expect(workloadClusters(facts, push).map(({ port, services: named }) => [port, named])).toEqual([
      [8080, [cart]],
      [9000, []],
    ]);
  });
});

describe("the limits of a workload's port", () => {
  const [ofRule, ofSidecar, ofListener] = [1, 2, 3].map((maxConnections) => fakePool({ maxConnections }));
  const rules = [fakeRule({ trafficPolicy: fakePolicy({ connectionPool: ofRule }) })];

  function limits(pool: ConnectionPool | undefined, ...listeners: readonly IngressListener[]) {
    const sidecars = [fakeSidecar({ inboundConnectionPool: pool, ingress: listeners })];
    const push = pushOf({ services, endpoints: [served(cart, 8080)], rules, sidecars });
    return workloadClusters(facts, push).map((cluster) => [cluster.rule?.name, cluster.pool]);
  }

  test("come from the Sidecar's listener, else from the Sidecar, else from the rule", () => {
    expect(limits(undefined)).toEqual([["cart", ofRule]]);
    expect(limits(ofSidecar)).toEqual([["cart", ofSidecar]]);
    expect(limits(ofSidecar, ingress(8080))).toEqual([["cart", ofSidecar]]);
    expect(limits(ofSidecar, ingress(8080, { connectionPool: ofListener }))).toEqual([["cart", ofListener]]);
  });

  test("have no rule without a policy", () => {
    const push = pushOf({ services, endpoints: [served(cart, 8080)], rules: [fakeRule()] });
    expect(workloadClusters(facts, push)).toMatchObject([{ rule: undefined, pool: undefined }]);
  });
});

function portOf({ ports: [port] }: Service) {
  if (port === undefined) throw new Error("a service has a port");
  return port;
}
