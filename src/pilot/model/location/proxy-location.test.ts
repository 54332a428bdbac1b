import { expect, test } from "vitest";
import { canonicalKey } from "../../../lib/canonical-key.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { fakeBalancer, fakeOutliers, fakePolicy } from "../../../testing/model/fake-traffic-policy.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import { locationOf } from "./proxy-location.ts";

interface Facts {
  readonly app: string;
  readonly node: string;
  readonly network: string;
}

function proxy(zone: string, { app, node, network }: Facts): Proxy {
  const metadata = { NAMESPACE: "shop", LABELS: { app }, NODE_NAME: node, NETWORK: network };
  const named = proxyWithName("sidecar~10.0.0.1~x-0.shop~shop.svc.cluster.local", metadata);
  return { ...named, locality: { region: "eu", zone, subzone: "" } };
}

const a = proxy("a", { app: "x", node: "one", network: "near" });
const b = proxy("b", { app: "y", node: "two", network: "far" });

/** Tests whether two proxies with nothing in common share endpoints, and clusters. */
function sharing(push: PushContext) {
  const same = (what: "clusters" | "endpoints") =>
    canonicalKey(locationOf(a, push, what)) === canonicalKey(locationOf(b, push, what));
  return { endpoints: same("endpoints"), clusters: same("clusters") };
}

const apart = { endpoints: false, clusters: false };
const together = { endpoints: true, clusters: true };

test("proxies share everything as long as no rule depends on their location", () => {
  const rules = [fakeRule({ trafficPolicy: fakePolicy({ loadBalancer: fakeBalancer() }) })];
  expect(sharing(pushOf({ services: [fakeService()], rules }))).toEqual(together);
});

test("a rule with outlier detection makes localities differ", () => {
  const rules = [fakeRule({ trafficPolicy: fakePolicy({ outlierDetection: fakeOutliers() }) })];
  const push = pushOf({ rules });
  expect(sharing(push)).toEqual(apart);
  expect(locationOf(a, push, "endpoints").node).toBe("");
});

test("rules with a workload selector make workloads of their namespace differ", () => {
  expect(sharing(pushOf({ rules: [fakeRule({ namespace: "shop", selector: { app: "x" } })] }))).toEqual(apart);
  expect(sharing(pushOf({ rules: [fakeRule({ namespace: "web", selector: { app: "x" } })] }))).toEqual(together);
});

test("services that prefer near endpoints or stay on a node do not affect clusters", () => {
  const services = [fakeService({ trafficDistribution: "same-node" })];
  expect(sharing(pushOf({ services }))).toEqual({ endpoints: false, clusters: true });
  expect(sharing(pushOf({ services: [fakeService({ nodeLocal: true })] }))).toEqual({
    endpoints: false,
    clusters: true,
  });
});

test("networks matter once there are gateways between them", () => {
  const networkGateways = [{ network: "far", clusterId: "", address: "1.1.1.1", port: 15443 }];
  expect(sharing(pushOf({ networkGateways }))).toEqual(apart);
});
