import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { ConfigId } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeGateway, fakeServer, fakeServerTls } from "../../../testing/model/fake-gateway.ts";
import { serviceOn } from "../../../testing/model/outbound-context.ts";
import { partChange } from "../../../testing/model/part-change.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { type Mesh, pushOf } from "../../../testing/model/push.ts";
import { fakeEndpoint } from "../../../testing/model/fake-service.ts";
import { fakeRule, fakeVirtualService, forwardTo } from "../../../testing/model/traffic.ts";
import type { AuthorizationPolicy } from "../../model/policy/authorization-policy.ts";
import { targetOf } from "../../model/policy/policy-workload.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { TcpRoute, VirtualService } from "../../model/traffic/virtual-service.ts";
import { gatewayListeners } from "./gateway-listeners.ts";
import { partId } from "../generator.ts";

const proxy = proxyWithName("router~10.0.0.5~edge-0.edge~edge.svc.cluster.local", {
  NAMESPACE: "edge",
  SDS_MODE: "none",
  LABELS: { app: "edge" },
});

function partOf(push: PushContext) {
  const [inputs] = gatewayListeners(new ProtoWriter()).parts(proxy, push, "all");
  if (inputs === undefined) throw new Error("a router has a part");
  return inputs;
}

function changeOf(before: Mesh, after: Mesh, ...changed: readonly ConfigId[]) {
  return partChange(gatewayListeners, proxy, { before: pushOf(before), after: pushOf(after), changed });
}

function tcpTo(hostname: string, port: number): TcpRoute {
  const match = { port, gateways: [], sourceLabels: {}, sourceNamespace: "", destinationSubnets: [] };
  const { action } = forwardTo(hostname);
  return { matches: [match], destinations: action.type === "forward" ? action.destinations : [] };
}

/** TLS for one name is passed on to one service. */
function passing(name: string, hostname: string): VirtualService {
  const { matches, destinations } = tcpTo(hostname, 0);
  const sniHosts = [`${name}.example.com`];
  const tls = [{ matches: matches.map((match) => ({ ...match, sniHosts })), destinations }];
  return fakeVirtualService({ name, hosts: ["*"], tls });
}

const servers = [
  fakeServer(),
  fakeServer({ port: 9000, portName: "a", protocol: "TCP" }),
  fakeServer({ port: 9001, portName: "b", protocol: "TCP" }),
];
const bytes = fakeVirtualService({ hosts: ["*"], tcp: [tcpTo("a.shop", 9000), tcpTo("b.shop", 9001)] });
const services = [serviceOn("a", "TCP"), serviceOn("b", "TCP"), serviceOn("c", "TCP")];
const world: Mesh = { gateways: [fakeGateway({ servers })], services, virtualServices: [bytes] };
const both = ["0.0.0.0_9000", "0.0.0.0_9001"];
const nothing = { covers: [], names: [], encodings: 0 };

describe("a change of a virtual service", () => {
  const gone = { ...world, virtualServices: [] };

  test("with TCP or TLS routes affects the TCP and TLS ports of its gateways", () => {
    expect(changeOf(gone, world, bytes.owner)).toMatchObject({ covers: both, names: both });
    expect(changeOf(world, gone, bytes.owner)).toMatchObject({ covers: both, names: [] });
    const elsewhere = { ...world, virtualServices: [{ ...bytes, gateways: ["edge/other"] }] };
    expect(changeOf(elsewhere, elsewhere, bytes.owner)).toEqual(nothing);
  });

  test("costs no more with many routes", () => {
    const tls = fakeServerTls({ mode: "passthrough" });
    const gateways = [fakeGateway({ servers: [fakeServer({ port: 443, protocol: "TLS", tls })] })];
    const costAmong = (count: number): number => {
      const many = Array.from({ length: count }, (_, i) => passing(`host-${i}`, "a.shop"));
      const [first, ...others] = many;
      if (first === undefined) throw new Error("there is one");
      const after = [passing("host-0", "b.shop"), ...others];
      const before = { gateways, services, virtualServices: many };
      return changeOf(before, { ...before, virtualServices: after }, first.owner).encodings;
    };
    expect(costAmong(1)).toBeGreaterThan(0);
    expect(costAmong(100)).toBe(costAmong(1));
  });

  test("with only HTTP routes affects no listener", () => {
    const requests = fakeVirtualService({ http: [forwardTo("a.shop")] });
    expect(changeOf(gone, { ...gone, virtualServices: [requests] }, requests.owner)).toEqual(nothing);
  });
});

/** The result of a change that gives a service another port. */
function moved(name: string) {
  const hostname = `${name}.shop`;
  const after = services.map((each) => (each.hostname === hostname ? serviceOn(name, "TCP", { port: 81 }) : each));
  return changeOf(world, { ...world, services: after }, configId("Service", "shop", hostname));
}

describe("a change of a service or a rule", () => {
  test("affects the ports whose connections use it as a destination", () => {
    expect(moved("a")).toMatchObject({ covers: both, names: both });
    expect(moved("c")).toEqual(nothing);
    const rule = fakeRule({ host: "b.shop" });
    expect(changeOf(world, { ...world, rules: [rule] }, configId("DestinationRule", "shop", "cart")).names).toEqual(
      both,
    );
  });

  test("affects every port with mesh mTLS passthrough", () => {
    const tls = fakeServerTls({ mode: "auto-passthrough" });
    const gateways = [fakeGateway({ servers: [fakeServer({ port: 15_443, protocol: "TLS", tls })] })];
    const before = { gateways, services: services.slice(1) };
    expect(changeOf(before, { gateways, services }, configId("Service", "shop", "a.shop"))).toMatchObject({
      covers: ["0.0.0.0_15443"],
      names: ["0.0.0.0_15443"],
    });
  });
});

test("the wildcard address of a port is bound once, with or without an explicit bind", () => {
  const push = pushOf({ gateways: [fakeGateway({ servers: [fakeServer({ bind: "0.0.0.0" }), fakeServer()] })] });
  const { resources } = gatewayListeners(new ProtoWriter()).generate({ inputs: partOf(push), push });
  expect(resources.map(({ name }) => name)).toEqual(["0.0.0.0_8080"]);
});

test("a change of a gateway affects all ports", () => {
  expect(changeOf(world, world, configId("Gateway", "edge", "edge")).covers).toBe("all");
});

test("routers behind services with other target ports have other parts", () => {
  const service = serviceOn("edge", "TCP", { namespace: "edge", hostname: "edge.edge", port: 8080 });
  const behind = (port: number): PushContext => {
    const endpoints = [fakeEndpoint({ port, servicePortName: "main" })];
    return pushOf({
      ...world,
      services: [service],
      endpoints: [{ hostname: "edge.edge", namespace: "edge", endpoints, owners: [] }],
    });
  };
  expect(partId(partOf(behind(8080)))).toBe(partId(partOf(pushOf(world))));
  const push = behind(18_080);
  const { resources } = gatewayListeners(new ProtoWriter()).generate({ inputs: partOf(push), push });
  expect(resources.map(({ name }) => name)).toContain("0.0.0.0_18080");
});

const guarded = (push: PushContext) =>
  gatewayListeners(new ProtoWriter())
    .generate({ inputs: partOf(push), push })
    .resources.filter((resource) => JSON.stringify(decodedResource(resource)).includes("policy[deny]"))
    .map(({ name }) => name);

test("a policy about the service of a router applies to the ports of that service only", () => {
  const service = serviceOn("edge", "HTTP", { namespace: "edge", hostname: "edge.edge", port: 8080 });
  const endpoints = [fakeEndpoint({ port: 8080, servicePortName: "main" })];
  const gateways = [fakeGateway({ servers: [fakeServer(), fakeServer({ port: 8081, portName: "more" })] })];
  const denying = (name: string): PushContext => {
    const targets = [targetOf({ ...service, owner: configId("ServiceEntry", "edge", name) })];
    const attached = {
      namespace: "edge",
      name: "deny",
      owner: configId("AuthorizationPolicy", "edge", "deny"),
      targets,
    };
    const policy: AuthorizationPolicy = {
      ...attached,
      createdAt: 0,
      selector: undefined,
      action: "deny",
      dryRun: false,
      converted: false,
      provider: undefined,
      rules: [{ sources: [], operations: [], conditions: [] }],
    };
    return pushOf({
      gateways,
      services: [service],
      endpoints: [{ hostname: "edge.edge", namespace: "edge", endpoints, owners: [] }],
      authorizationPolicies: [policy],
    });
  };
  expect(guarded(denying("edge"))).toEqual(["0.0.0.0_8080"]);
  expect(guarded(denying("other"))).toEqual([]);
});

describe("a listener of a gateway", () => {
  const push = pushOf({ gateways: [fakeGateway()] });

  function listenerFor(metadata: JsonObject, world: PushContext = push) {
    const family = gatewayListeners(new ProtoWriter());
    const asking = proxyWithName(proxy.nodeId, {
      NAMESPACE: "edge",
      SDS_MODE: "none",
      LABELS: { app: "edge" },
      ...metadata,
    });
    const [inputs] = family.parts(asking, world, "all");
    const [listener] = inputs === undefined ? [] : family.generate({ inputs, push: world }).resources;
    return listener && decodedResource(listener);
  }

  test("begins with the PROXY protocol where the gateway topology sets it", () => {
    const PROXY_CONFIG = { gatewayTopology: { proxyProtocol: {}, numTrustedProxies: 2 } };
    expect(listenerFor({ PROXY_CONFIG })).toMatchObject({
      listenerFilters: [{ name: "envoy.filters.listener.proxy_protocol" }],
      filterChains: [{ filters: [{ typedConfig: { xffNumTrustedHops: 2, useRemoteAddress: true } }] }],
    });
    expect(listenerFor({})).not.toHaveProperty("listenerFilters");
  });

  test("is absent for a port that the proxy may not bind", () => {
    const low = pushOf({ gateways: [fakeGateway({ servers: [fakeServer({ port: 80 })] })] });
    expect(listenerFor({}, low)).toMatchObject({ name: "0.0.0.0_80" });
    expect(listenerFor({ UNPRIVILEGED_POD: "true" }, low)).toBeUndefined();
  });

  test("balances connections exactly and binds both families where the proxy enables it", () => {
    const both = { INSTANCE_IPS: "10.0.0.5,2001:db8::5", ISTIO_DUAL_STACK: "true" };
    expect(listenerFor({ ...both, OUTBOUND_LISTENER_EXACT_BALANCE: "true" })).toMatchObject({
      connectionBalanceConfig: { exactBalance: {} },
      additionalAddresses: [{ address: { socketAddress: { address: "::", portValue: 8080 } } }],
    });
  });

  test("logs its traffic and its unmatched connections", () => {
    const accessLogs = [{ path: "/log", format: { type: "text", text: "x\n" }, omitsEmpty: false }] as const;
    const logging = pushOf({ gateways: [fakeGateway()], mesh: { accessLogs } });
    const log = { typedConfig: { path: "/log" } };
    expect(listenerFor({}, logging)).toMatchObject({
      accessLog: [{ ...log, filter: { responseFlagFilter: { flags: ["NR"] } } }],
      filterChains: [{ filters: [{ typedConfig: { accessLog: [log] } }] }],
    });
  });
});
