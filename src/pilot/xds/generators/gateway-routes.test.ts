import { expect, test } from "vitest";
import { type ConfigId, configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { fakeGateway, fakeServer } from "../../../testing/model/fake-gateway.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { pushOf, viewOf } from "../../../testing/model/push.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { fakeRule, fakeVirtualService, forwardTo } from "../../../testing/model/traffic.ts";
import { fakeBalancer, fakePolicy } from "../../../testing/model/fake-traffic-policy.ts";
import { defaultMeshSettings, MESH_KEY } from "../../model/mesh-settings.ts";
import { capturePush, type MeshViews, type PushContext } from "../../model/push-context.ts";
import type { DestinationRule } from "../../model/traffic/destination-rule.ts";
import { gatewayRoutes } from "./gateway-routes.ts";

const router = proxyWithName("router~10.0.0.2~edge.edge~edge.svc.cluster.local", { LABELS: { app: "edge" } });
const gateways = [
  fakeGateway({ name: "a", servers: [fakeServer({ port: 8080 })] }),
  fakeGateway({ name: "b", servers: [fakeServer({ port: 8081 })] }),
];
const virtualServices = [
  fakeVirtualService({ name: "cart", gateways: ["edge/a"], http: [forwardTo("cart.shop")] }),
  fakeVirtualService({ name: "pay", gateways: ["edge/b"], http: [forwardTo("pay.shop")] }),
];
const services = ["cart.shop", "pay.shop"].map((hostname) => fakeService({ hostname }));
const consistentHash = { key: { type: "source-ip" }, algorithm: "maglev", size: 0 } as const;
const hashing = fakeRule({ trafficPolicy: fakePolicy({ loadBalancer: fakeBalancer({ consistentHash }) }) });

/** Of one mesh: its settings are the same object in all of them. */
const mesh = viewOf([[MESH_KEY, defaultMeshSettings]]);

function pushFor(rules: readonly DestinationRule[] = [], routes = virtualServices): PushContext {
  const views: Omit<MeshViews, "mesh"> = pushOf({ services, gateways, virtualServices: routes, rules });
  return capturePush({ ...views, mesh }, 1);
}

function generated(push: PushContext, before?: PushContext, changed?: ConfigId) {
  const family = gatewayRoutes(new ProtoWriter());
  const [inputs] = family.parts(router, push, "all");
  if (inputs === undefined) throw new Error("a router has a part");
  const since = before && changed && { push: before, changed: new Set([changed]) };
  const { covers, resources } = family.generate({ inputs, push, ...(since && { since }) });
  return { covers: covers === "all" ? covers : [...covers], resources };
}

const rule = configId("DestinationRule", "shop", "cart");

test("adding or removing a hash affects the gateways that route there, and the rule is an owner", () => {
  const { covers, resources } = generated(pushFor([hashing]), pushFor(), rule);
  expect(covers).toEqual(["http.8080"]);
  expect(resources[0]?.owners).toContain(rule);
  expect(generated(pushFor(), pushFor([hashing]), rule).covers).toEqual(["http.8080"]);
});

test("a rule without a hash affects no routes", () => {
  expect(generated(pushFor([fakeRule()]), pushFor(), rule).covers).toEqual([]);
});

test("a virtual service affects its current and previous gateways", () => {
  const [cart, pay] = virtualServices;
  if (cart === undefined || pay === undefined) throw new Error("there are two");
  const moved = pushFor([], [{ ...cart, gateways: ["edge/b"] }, pay]);
  expect(generated(moved, pushFor(), cart.owner).covers).toEqual(["http.8080", "http.8081"]);
});
