import { describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { fakeEndpoint } from "../../../testing/model/fake-service.ts";
import { serviceOn } from "../../../testing/model/outbound-context.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeSidecar } from "../../../testing/model/workload.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { IngressListener } from "../../model/scope/sidecar.ts";
import type { Service } from "../../model/service/service.ts";
import { type Dependencies, type PartFamily, type PartInputs, partId } from "../generator.ts";
import { inboundListeners } from "./inbound-listeners.ts";
import { outboundListeners } from "./outbound-listeners.ts";

const writer = new ProtoWriter();
const inbound = inboundListeners(writer);
const outbound = outboundListeners(writer);
const none = proxyWithName("sidecar~10.1.0.1~cart-0.shop~shop.svc.cluster.local", {
  NAMESPACE: "shop",
  INTERCEPTION_MODE: "NONE",
  SDS_MODE: "none",
});

const ingress: IngressListener = {
  port: { number: 80, name: "http", protocol: "HTTP" },
  bind: "127.0.0.1",
  captureMode: "default",
  defaultEndpoint: "127.0.0.1:8080",
  connectionPool: undefined,
};
const sidecars = [fakeSidecar({ namespace: "shop", name: "s", ingress: [ingress] })];

/** The names of all listeners that a family of parts makes for the proxy. */
function namesFrom<P extends PartInputs>(family: PartFamily<P>, services: readonly Service[]): readonly string[] {
  const push = pushOf({ services, sidecars });
  const resources = family.parts(none, push, "all").flatMap((inputs) => family.generate({ inputs, push }).resources);
  return resources.map(({ name }) => name);
}

function namesOf(services: readonly Service[]): readonly (readonly string[])[] {
  return [namesFrom(outbound, services), namesFrom(inbound, services)];
}

function dependenciesOf(proxy: Proxy, push: PushContext): Dependencies {
  const [inputs] = inbound.parts(proxy, push, "all");
  if (inputs === undefined) throw new Error("a sidecar has a part");
  return inbound.dependencies(inputs, push);
}

describe("the two sides of a proxy that binds its ports itself", () => {
  test("do not bind the same address: the outbound side gets it", () => {
    expect(namesOf([serviceOn("a", "HTTP")])).toEqual([["127.0.0.1_80"], []]);
    expect(namesOf([serviceOn("a", "HTTP", { port: 81 })])).toEqual([["127.0.0.1_81"], ["127.0.0.1_80"]]);
  });

  test("make the inbound side depend on the outbound scope", () => {
    const push = pushOf({ services: [serviceOn("a", "HTTP")], sidecars });
    const dependsOn = dependenciesOf(none, push);
    expect(dependsOn(configId("Service", "shop", "a.shop"))).toBe(true);
    expect(dependsOn(configId("Service", "shop", "unknown.shop"))).toBe(false);
  });
});

describe("the inbound side of a proxy with redirected traffic", () => {
  const proxy = proxyWithName("sidecar~10.0.0.5~cart-0.shop~shop.svc.cluster.local", { NAMESPACE: "shop" });
  const own = serviceOn("own", "HTTP");
  const endpoints = [
    {
      hostname: own.hostname,
      namespace: own.namespace,
      endpoints: [fakeEndpoint({ address: "10.0.0.5", servicePortName: "main" })],
      owners: [],
    },
  ];
  const push = pushOf({ services: [own, serviceOn("other", "HTTP", { port: 81 })], endpoints });

  test("depends only on its own services", () => {
    const dependsOn = dependenciesOf(proxy, push);
    expect(dependsOn(configId("Service", "shop", "own.shop"))).toBe(true);
    expect(dependsOn(configId("Service", "shop", "other.shop"))).toBe(false);
    expect(["VirtualService", "DestinationRule", "Gateway"].some((kind) => inbound.concerns(kind))).toBe(false);
  });

  test("depends on mTLS policies of its namespace and of the mesh", () => {
    const dependsOn = dependenciesOf(proxy, push);
    const policies = ["shop", "istio-system", "web"].map((name) => configId("PeerAuthentication", name, "default"));
    expect(inbound.concerns("PeerAuthentication")).toBe(true);
    expect(policies.map((policy) => dependsOn(policy))).toEqual([true, true, false]);
  });

  test("has its own services as owners", () => {
    const [inputs] = inbound.parts(proxy, push, "all");
    const owners = inputs && inbound.generate({ inputs, push }).resources.map((resource) => resource.owners);
    expect(owners).toEqual([[own.owner]]);
  });
});

test("a mesh without a port to redirect to has no inbound listeners", () => {
  const push = pushOf({ services: [serviceOn("a", "HTTP", { port: 81 })], sidecars, mesh: { outboundPort: 0 } });
  const [inputs] = inbound.parts(none, push, "all");
  expect(inputs && inbound.generate({ inputs, push })).toEqual({ covers: "all", resources: [] });
});

test("workloads have their own inbound parts, also by the inputs of their outbound side", () => {
  const push = pushOf({ sidecars });
  const idOf = (changes: Partial<Proxy>) => inbound.parts({ ...none, ...changes }, push, "all").map(partId);
  expect(idOf({ id: "cart-1.shop" })).toEqual(idOf({}));
  expect(idOf({ ipAddresses: ["10.1.0.2"] })).not.toEqual(idOf({}));
  expect(idOf({ interception: "redirect" })).not.toEqual(idOf({}));
});
