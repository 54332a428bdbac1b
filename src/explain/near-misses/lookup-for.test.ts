import { describe, expect, test } from "vitest";
import { type ClusterStep, type Decision, type Explanation, type RequestOutcome, refused } from "../explanation.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { lookupFor } from "./lookup-for.ts";

const told = { why: "", notes: [], passedOver: [], owners: [] };

function step(type: Decision["type"], name = ""): Decision {
  return { type, name, ...told };
}

function cluster(name: string, problem?: string): ClusterStep {
  return { type: "cluster", name, share: 1, endpoints: [], ...told, ...(problem !== undefined && { problem }) };
}

function forwarded(...steps: Explanation["steps"]): Explanation {
  return { steps, outcome: { type: "forwarded", targets: [] }, decidedBy: [] };
}

function ended(outcome: RequestOutcome, ...steps: Explanation["steps"]): Explanation {
  return { steps, outcome, decidedBy: [] };
}

function request(changes: Partial<SimulatedRequest> = {}): SimulatedRequest {
  return { port: 80, host: "Shop.example.com:80", path: "/", method: "GET", headers: {}, ...changes };
}

const shop = { hostname: "shop.example.com", port: 80 };
const http = { host: { ...shop, http: true }, clusters: [] };
const bytes = { host: { ...shop, http: false }, clusters: [] };
const known = "outbound|80||cart.shop";

describe("near misses are searched", () => {
  test.each(["BlackHoleCluster", "PassthroughCluster"])("when the connection ends at %s", (name) => {
    expect(lookupFor(forwarded(cluster(name)), request({ protocol: "tls" }))).toEqual(bytes);
    expect(lookupFor(forwarded(step("route"), cluster(name)), request())).toEqual(http);
  });

  test("when the virtual host for unknown hosts blocks the request", () => {
    const blocked = { type: "response", status: 502, body: "" } as const;
    expect(lookupFor(ended(blocked, step("virtual host", "block_all"), step("route")), request())).toEqual(http);
  });

  test("when the virtual host for unknown hosts sends the request to an egress proxy", () => {
    const steps = [step("virtual host", "allow_any"), step("route"), cluster(known)];
    expect(lookupFor(forwarded(...steps), request({ protocol: "http2" }))).toEqual(http);
  });

  test("when no listener, chain or route takes the request", () => {
    expect(lookupFor(ended(refused("no route")), request())).toEqual(http);
  });

  test("when an HTTP request of a sidecar is forwarded as TCP", () => {
    const steps = [step("listener"), cluster(known)];
    expect(lookupFor(forwarded(...steps), request())).toEqual(http);
    expect(lookupFor(forwarded(...steps), request({ protocol: "tcp" }))).toBeUndefined();
    expect(lookupFor(forwarded(...steps), request({ direction: "gateway" }))).toBeUndefined();
  });
});

test("the search covers exactly the clusters where the request fails", () => {
  const steps = [step("route"), cluster(known), cluster("outbound|80|v2|cart.shop", "has no endpoints")];
  expect(lookupFor(forwarded(...steps), request())).toEqual({ clusters: ["outbound|80|v2|cart.shop"] });
});

describe("near misses are not searched", () => {
  test("when a route leads to a cluster", () => {
    expect(
      lookupFor(forwarded(step("virtual host", "cart"), step("route"), cluster(known)), request()),
    ).toBeUndefined();
  });

  test("when a route, not a virtual host, has the name for unknown hosts", () => {
    expect(lookupFor(forwarded(step("route", "block_all"), cluster(known)), request())).toBeUndefined();
  });

  test("when the proxy answers the request itself", () => {
    const answered = { type: "response", status: 200, body: "" } as const;
    expect(lookupFor(ended(answered, step("virtual host", "cart"), step("route")), request())).toBeUndefined();
  });

  test("when an inbound request reaches the proxy's own workload", () => {
    const inbound = request({ direction: "inbound" });
    expect(lookupFor(ended(refused("no filter chain")), inbound)).toBeUndefined();
    expect(lookupFor(forwarded(cluster("InboundPassthroughCluster", "nobody listens")), inbound)).toBeUndefined();
  });

  test("when a reached cluster refuses the request", () => {
    expect(lookupFor(ended(refused("denied"), step("route"), cluster(known)), request())).toBeUndefined();
  });
});
