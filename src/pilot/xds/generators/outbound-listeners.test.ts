import { describe, expect, test } from "vitest";
import type { ConfigId } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { serviceOn } from "../../../testing/model/outbound-context.ts";
import { partChange } from "../../../testing/model/part-change.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { type Mesh, pushOf } from "../../../testing/model/push.ts";
import { fakeEndpoint } from "../../../testing/model/fake-service.ts";
import { fakeRule, fakeVirtualService, forwardTo } from "../../../testing/model/traffic.ts";
import { fakeSidecar } from "../../../testing/model/workload.ts";
import type { Service, ServiceEndpoints } from "../../model/service/service.ts";
import { outboundListeners } from "./outbound-listeners.ts";
import { partId } from "../generator.ts";

const node = "sidecar~10.1.0.1~web-0.web~web.svc.cluster.local";
const proxy = proxyWithName(node, { NAMESPACE: "web", SDS_MODE: "none" });

function changeOf(before: Mesh, after: Mesh, ...changed: readonly ConfigId[]) {
  return partChange(outboundListeners, proxy, { before: pushOf(before), after: pushOf(after), changed });
}

function serviceId({ namespace, hostname }: Service): ConfigId {
  return configId("Service", namespace, hostname);
}

const a = serviceOn("a", "HTTP");
const b = serviceOn("b", "TCP", { port: 81 });
const c = serviceOn("c", "HTTP", { port: 82 });
const services = [a, b, c];
const nothing = { covers: [], names: [], encodings: 0 };
const anywhere = { port: 0, gateways: [], sourceLabels: {}, sourceNamespace: "", destinationSubnets: [] };

describe("a change of a service", () => {
  test("rebuilds the listeners of its ports, and no others", () => {
    const moved = serviceOn("b", "TCP", { port: 83 });
    const change = changeOf({ services }, { services: [a, moved, c] }, serviceId(b));
    expect(change).toMatchObject({ covers: ["0.0.0.0_81", "0.0.0.0_83"], names: ["0.0.0.0_83"] });
    expect(change.encodings).toBeLessThan(6);
  });

  test("also rebuilds listeners that share a port with it", () => {
    const twin = serviceOn("twin", "HTTP");
    const change = changeOf({ services: [...services, twin] }, { services: [...services] }, serviceId(twin));
    expect(change).toMatchObject({ covers: ["0.0.0.0_80"], names: ["0.0.0.0_80"] });
  });

  test("rebuilds the listeners of services whose connections are routed to it", () => {
    const noHeaders = { set: [], add: [], remove: [] };
    const headers = { request: noHeaders, response: noHeaders };
    const destinations = [{ hostname: "c.shop", subset: "", port: undefined, weight: 0, headers }];
    const tcp = [{ matches: [anywhere], destinations }];
    const virtualServices = [fakeVirtualService({ hosts: ["b.shop"], gateways: ["mesh"], tcp })];
    const moved = serviceOn("c", "HTTP", { port: 84 });
    const before = { services, virtualServices };
    const change = changeOf(before, { services: [a, b, moved], virtualServices }, serviceId(c));
    expect(change.names).toEqual(["0.0.0.0_81", "0.0.0.0_84"]);
  });
});

describe("a change of a virtual service", () => {
  const id = configId("VirtualService", "shop", "cart");

  test("with only HTTP routes costs nothing", () => {
    const virtualService = fakeVirtualService({ hosts: ["a.shop"], gateways: ["mesh"], http: [forwardTo("c.shop")] });
    const before = { services, virtualServices: [virtualService] };
    const after = { services, virtualServices: [{ ...virtualService, http: [] }] };
    expect(changeOf(before, after, id)).toEqual(nothing);
  });

  test("with TCP or TLS routes rebuilds the listeners of its hosts, also when it is deleted", () => {
    const virtualService = fakeVirtualService({
      hosts: ["*.shop"],
      gateways: ["mesh"],
      tcp: [{ matches: [anywhere], destinations: [] }],
    });
    const change = changeOf({ services, virtualServices: [virtualService] }, { services }, id);
    expect(change.covers).toEqual(["0.0.0.0_80", "0.0.0.0_81", "0.0.0.0_82"]);
  });
});

function at(service: Service, ...addresses: readonly string[]): ServiceEndpoints {
  return {
    hostname: service.hostname,
    namespace: service.namespace,
    endpoints: addresses.map((address) => fakeEndpoint({ address, servicePortName: "main" })),
    owners: [],
  };
}

describe("a change of endpoints", () => {
  test("costs nothing where services have addresses", () => {
    const after = { services, endpoints: [at(b, "10.0.0.1")] };
    expect(changeOf({ services }, after, configId("Endpoints", "shop", "b.shop"))).toEqual(nothing);
  });

  test("of a headless service adds and removes listeners", () => {
    const headless = serviceOn("b", "TCP", { port: 81, resolution: "passthrough" });
    const before = { services: [a, headless], endpoints: [at(headless, "10.0.0.1", "10.0.0.2")] };
    const after = { services: [a, headless], endpoints: [at(headless, "10.0.0.2", "10.0.0.3")] };
    expect(changeOf(before, after, configId("Endpoints", "shop", "b.shop"))).toMatchObject({
      covers: ["10.0.0.1_81", "10.0.0.2_81", "10.0.0.3_81"],
      names: ["10.0.0.2_81", "10.0.0.3_81"],
    });
  });
});

test("a change of a rule rebuilds the listeners of its host", () => {
  const rules = [fakeRule({ host: "b.shop" })];
  const change = changeOf({ services }, { services, rules }, configId("DestinationRule", "shop", "cart"));
  expect(change.covers).toEqual(["0.0.0.0_81"]);
});

test("a change of the Sidecar rebuilds everything", () => {
  const sidecar = fakeSidecar({ namespace: "web", name: "s" });
  const world = { services, sidecars: [sidecar] };
  expect(changeOf(world, world, sidecar.owner).covers).toBe("all");
});

function named(name: string) {
  return { LABELS: { "service.istio.io/canonical-name": name } };
}

describe("sidecars", () => {
  const family = outboundListeners(new ProtoWriter());
  const idOf = (world: Mesh, metadata: Parameters<typeof proxyWithName>[1], address = "10.1.0.1") =>
    family
      .parts(proxyWithName(node.replace("10.1.0.1", address), { NAMESPACE: "web", ...metadata }), pushOf(world), "all")
      .map(partId);

  test("of one namespace share their outbound listeners, with any certificates and addresses", () => {
    const one = idOf({ services }, { SDS_MODE: "none" });
    expect(idOf({ services }, { SDS_MODE: "agent", LABELS: { app: "other" } }, "10.1.0.2")).toEqual(one);
  });

  test("do not share them if a TCP or TLS route matches on their labels", () => {
    const tcp = [{ matches: [{ ...anywhere, sourceLabels: { app: "web" } }], destinations: [] }];
    const world = { services, virtualServices: [fakeVirtualService({ hosts: ["b.shop"], gateways: ["mesh"], tcp })] };
    expect(idOf(world, { LABELS: { app: "web" } })).not.toEqual(idOf(world, { LABELS: { app: "other" } }));
    expect(idOf(world, { LABELS: { tier: "1" } })).toEqual(idOf(world, { LABELS: { tier: "2" } }));
  });

  test("share them with any identity, without tracing", () => {
    const untraced = { services, mesh: { tracing: false } };
    const ids = (name: string) => family.parts(proxyWithName(node, named(name)), pushOf(untraced), "all").map(partId);
    expect(ids("x")).toEqual(ids("y"));
    expect(idOf({ services }, named("x"))).not.toEqual(idOf({ services }, named("y")));
  });

  test("that are proxyless, and routers, have none", () => {
    expect(idOf({ services }, { GENERATOR: "grpc" })).toEqual([]);
    expect(family.parts(proxyWithName(node.replace("sidecar", "router")), pushOf({}), "all")).toEqual([]);
  });
});

test("a mesh without an outbound port has no sidecar listeners", () => {
  const push = pushOf({ services, mesh: { outboundPort: 0 } });
  const family = outboundListeners(new ProtoWriter());
  const [inputs] = family.parts(proxy, push, "all");
  expect(inputs && family.generate({ inputs, push })).toEqual({ covers: "all", resources: [] });
});
