import { describe, expect, test } from "vitest";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../../testing/envoy/decoded-resource.ts";
import { stockListenerClient } from "../../../../testing/model/fake-listener-client.ts";
import { policiesWith } from "../../../../testing/model/fake-policies.ts";
import { fakePolicy } from "../../../../testing/model/fake-traffic-policy.ts";
import { outboundContext, serviceOn } from "../../../../testing/model/outbound-context.ts";
import { fakeRule, fakeVirtualService } from "../../../../testing/model/traffic.ts";
import { fakeSidecar } from "../../../../testing/model/workload.ts";
import { defaultProxySettings } from "../../../model/proxy/proxy-settings.ts";
import type { Service } from "../../../model/service/service.ts";
import type { ConnectionPool } from "../../../model/traffic/destination-rule.ts";
import { defaultListenerSettings, type ListenerSettings } from "../listener-settings.ts";
import { buildOutbound } from "./outbound-listeners.ts";

const writer = new ProtoWriter();

/** Every listener of a context as JSON, by name. */
function listeners(context: ReturnType<typeof outboundContext>) {
  return new Map(buildOutbound(context, writer).map((resource) => [resource.name, decodedResource(resource)]));
}

function named(name: string, services: readonly Service[], changes: Parameters<typeof outboundContext>[1] = {}) {
  return listeners(outboundContext({ services }, changes)).get(name);
}

function proxyTo(cluster: string) {
  return [{ name: "envoy.filters.network.tcp_proxy", typedConfig: expect.objectContaining({ cluster }) as unknown }];
}

const noChanges = { set: [], add: [], remove: [] };
const noHeaders = { request: noChanges, response: noChanges };
const http = serviceOn("a", "HTTP");
const tls = serviceOn("c", "TLS");

describe("a listener on all addresses", () => {
  test("inspects TLS before HTTP, and passes other traffic through", () => {
    expect(named("0.0.0.0_80", [http, tls])).toMatchObject({
      bindToPort: false,
      listenerFilters: [
        { name: "envoy.filters.listener.tls_inspector" },
        { name: "envoy.filters.listener.http_inspector" },
      ],
      filterChains: [
        { filterChainMatch: { applicationProtocols: ["http/1.1", "h2c"], transportProtocol: "raw_buffer" } },
        { filterChainMatch: { serverNames: ["c.shop"] }, transportSocketConnectTimeout: "15s" },
      ],
      defaultFilterChain: {
        name: "PassthroughFilterChain",
        filterChainMatch: {},
        filters: proxyTo("PassthroughCluster"),
      },
    });
  });

  test("has the chain that takes everything as its default, unless it is the only one", () => {
    const tcp = serviceOn("b", "TCP");
    const own = { filters: proxyTo("outbound|80||b.shop") };
    expect(named("0.0.0.0_80", [http, tcp])).toMatchObject({ filterChains: [{}], defaultFilterChain: own });
    const alone = named("0.0.0.0_80", [tcp]);
    expect(alone).toMatchObject({ filterChains: [own] });
    expect(alone).not.toHaveProperty("defaultFilterChain");
    expect(alone).not.toHaveProperty("listenerFilters");
  });
});

test("connections last as long as the rule for the host sets", () => {
  const pool = {
    idleTimeout: { seconds: 1n, nanos: 0 },
    tcpIdleTimeout: { seconds: 7n, nanos: 0 },
    maxConnectionDuration: { seconds: 60n, nanos: 0 },
  } as ConnectionPool;
  const rule = fakeRule({ host: "b.shop", trafficPolicy: fakePolicy({ connectionPool: pool }) });
  const context = outboundContext({ services: [serviceOn("b", "TCP")], rules: [rule] });
  const typedConfig = { idleTimeout: "7s", maxDownstreamConnectionDuration: "60s" };
  expect(listeners(context).get("0.0.0.0_80")).toMatchObject({ filterChains: [{ filters: [{ typedConfig }] }] });
});

function asking(changes: Partial<ListenerSettings>) {
  return { settings: { ...defaultListenerSettings, ...changes } };
}

function listeningBeside(portValue: number) {
  return { additionalAddresses: [{ address: { socketAddress: { address: "::", portValue } } }] };
}

describe("proxy settings", () => {
  test("enable HTTP/1.0, which is then detected as HTTP", () => {
    const listener = named("0.0.0.0_80", [http], asking({ http10: true }));
    const options = [{ typedConfig: { httpProtocolOptions: { acceptHttp10: true } } }];
    expect(listener).toMatchObject({
      filterChains: [{ filterChainMatch: { applicationProtocols: ["http/1.0", "http/1.1", "h2c"] }, filters: options }],
    });
    expect(named("0.0.0.0_80", [http], asking({ http10: false }))).toMatchObject({
      filterChains: [{ filterChainMatch: { applicationProtocols: ["http/1.1", "h2c"] } }],
    });
  });

  test("close idle connections, unless the rule for the host sets a time", () => {
    const candidate = asking({ idleTimeoutMs: 90_000 });
    const ofRequests = { typedConfig: { commonHttpProtocolOptions: { idleTimeout: "90s" } } };
    expect(named("0.0.0.0_80", [http], candidate)).toMatchObject({
      filterChains: [{ filters: [ofRequests] }],
      defaultFilterChain: { filters: [{ typedConfig: { idleTimeout: "90s" } }] },
    });
    expect(named("0.0.0.0_80", [serviceOn("b", "TCP")], candidate)).toMatchObject({
      filterChains: [{ filters: [{ typedConfig: { idleTimeout: "90s" } }] }],
    });
  });

  test("balance connections exactly, except where a listener hands them on", () => {
    const all = listeners(
      outboundContext({ services: [http] }, asking({ balances: { inbound: false, outbound: true } })),
    );
    expect(all.get("0.0.0.0_80")).toMatchObject({ connectionBalanceConfig: { exactBalance: {} } });
    expect(all.get("virtualOutbound")).not.toHaveProperty("connectionBalanceConfig");
  });

  test("bind both families", () => {
    const all = listeners(outboundContext({ services: [http] }, asking({ dualStack: true })));
    expect(all.get("0.0.0.0_80")).toMatchObject(listeningBeside(80));
    expect(all.get("virtualOutbound")).toMatchObject(listeningBeside(15_001));
    const own = named("10.9.0.1_80", [serviceOn("b", "TCP", { addresses: ["10.9.0.1"] })], asking({ dualStack: true }));
    expect(own).not.toHaveProperty("additionalAddresses");
  });

  test("preserve the case of HTTP/1 headers", () => {
    const headers = { ...defaultProxySettings.headers, preservesCase: true };
    const listener = named("0.0.0.0_80", [http], asking({ proxy: { ...defaultProxySettings, headers } }));
    const statefulFormatter = { name: "preserve_case" };
    const typedConfig = { httpProtocolOptions: { headerKeyFormat: { statefulFormatter } } };
    expect(listener).toMatchObject({ filterChains: [{ filters: [{ typedConfig }] }] });
  });
});

test("all traffic is logged, and unmatched connections by the listener itself; but no loops", () => {
  const accessLogs = [{ path: "/log", format: { type: "text", text: "x\n" }, omitsEmpty: false }] as const;
  const all = listeners(
    outboundContext({ services: [http, serviceOn("b", "TCP", { port: 81 })], mesh: { accessLogs } }),
  );
  const log = { accessLog: [{ typedConfig: { path: "/log" } }] };
  expect(all.get("0.0.0.0_80")).toMatchObject({
    filterChains: [{ filters: [{ typedConfig: log }] }],
    defaultFilterChain: { filters: [{ typedConfig: log }] },
  });
  expect(all.get("0.0.0.0_80")).not.toHaveProperty("accessLog");
  expect(all.get("0.0.0.0_81")).toMatchObject({ filterChains: [{ filters: [{ typedConfig: log }] }] });
  const virtual = all.get("virtualOutbound");
  expect(virtual).toMatchObject({
    accessLog: [{ filter: { responseFlagFilter: { flags: ["NR"] } } }],
    filterChains: [{ name: "virtualOutbound-blackhole" }, { filters: [{ typedConfig: log }] }],
  });
  const [loops] = (virtual?.["filterChains"] ?? []) as readonly object[];
  expect(JSON.stringify(loops)).not.toContain("accessLog");
});

test("connections use source IP hashing and tunnels as the rule sets", () => {
  const consistentHash = { key: { type: "source-ip" }, algorithm: "ring-hash", size: 0 } as const;
  const loadBalancer = { algorithm: "random", consistentHash, warmup: undefined, localities: undefined } as const;
  const tunnel = { method: "POST", targetHost: "far.example.com", targetPort: 443 } as const;
  const trafficPolicy = fakePolicy({ loadBalancer, tunnel });
  const context = outboundContext({
    services: [serviceOn("b", "TCP")],
    rules: [fakeRule({ host: "b.shop", trafficPolicy })],
  });
  const typedConfig = {
    hashPolicy: [{ sourceIp: {} }],
    tunnelingConfig: { hostname: "far.example.com:443", usePost: true },
  };
  expect(listeners(context).get("0.0.0.0_80")).toMatchObject({ filterChains: [{ filters: [{ typedConfig }] }] });
});

function tunnelTo(targetHost: string) {
  return { method: "CONNECT", targetHost, targetPort: 443 } as const;
}

test("connections to a subset go through its own tunnel, else through that of the host", () => {
  const own = { name: "v1", labels: {}, trafficPolicy: fakePolicy({ tunnel: tunnelTo("near.example.com") }) };
  const silent = { name: "v2", labels: {}, trafficPolicy: undefined };
  const tunnelOf = (subset: string) => {
    const route = {
      destinations: [{ hostname: "b.shop", subset, port: 80, weight: 0, headers: noHeaders }],
      matches: [],
    };
    const context = outboundContext({
      services: [serviceOn("b", "TCP")],
      virtualServices: [fakeVirtualService({ hosts: ["b.shop"], gateways: ["mesh"], tcp: [route] })],
      rules: [
        fakeRule({
          host: "b.shop",
          trafficPolicy: fakePolicy({ tunnel: tunnelTo("far.example.com") }),
          subsets: [own, silent],
        }),
      ],
    });
    const text = JSON.stringify(listeners(context).get("0.0.0.0_80"));
    return /"tunnelingConfig":\{"hostname":"(?<host>[^"]+)"/u.exec(text)?.groups?.["host"];
  };
  expect(["", "v1", "v2"].map(tunnelOf)).toEqual([
    "far.example.com:443",
    "near.example.com:443",
    "far.example.com:443",
  ]);
});

test("Mongo gets the mongo_proxy filter", () => {
  const filters = [{ name: "envoy.filters.network.mongo_proxy" }, { name: "envoy.filters.network.tcp_proxy" }];
  expect(named("0.0.0.0_80", [serviceOn("m", "Mongo")])).toMatchObject({ filterChains: [{ filters }] });
});

describe("traffic to unregistered destinations", () => {
  const registryOnly = { mode: "registry-only", egressProxy: undefined } as const;
  const noHeaders = { set: [], add: [], remove: [] };
  const proxy = {
    hostname: "egress.shop",
    subset: "",
    port: 9000,
    weight: 0,
    headers: { request: noHeaders, response: noHeaders },
  };
  const throughProxy = { mode: "allow-any", egressProxy: proxy } as const;

  test.each([
    ["goes straight on", undefined, "PassthroughCluster"],
    ["goes nowhere if only registered services are allowed", registryOnly, "BlackHoleCluster"],
    ["goes through an egress proxy if there is one", throughProxy, "outbound|9000||egress.shop"],
  ])("%s", (_, outboundPolicy, cluster) => {
    const sidecars = [fakeSidecar({ namespace: "web", name: "s", outboundPolicy })];
    const all = listeners(outboundContext({ services: [http], sidecars }));
    expect(all.get("virtualOutbound")).toMatchObject({
      filterChains: [{ name: "virtualOutbound-blackhole" }, { filters: proxyTo(cluster) }],
    });
    expect(all.get("0.0.0.0_80")).toMatchObject({ defaultFilterChain: { filters: proxyTo(cluster) } });
  });

  test("is blocked without redirection: its destination would be the proxy itself", () => {
    const auto = { ...serviceOn("a", "TLS"), addresses: ["10.0.0.0/8"] };
    const listener = named("127.0.0.1_80", [auto], { interception: "none" });
    expect(listener).toMatchObject({ defaultFilterChain: { filters: proxyTo("BlackHoleCluster") } });
  });
});

describe("a proxy without redirected traffic", () => {
  test("has its own listeners, and none for redirected traffic", () => {
    const all = listeners(outboundContext({ services: [http] }, { interception: "none" }));
    expect([...all.keys()]).toEqual(["127.0.0.1_80"]);
    const listener = all.get("127.0.0.1_80");
    expect(listener).toMatchObject({ maxConnectionsToAcceptPerSocketEvent: 1, filterChains: [{}] });
    for (const key of ["bindToPort", "listenerFilters", "defaultFilterChain"]) expect(listener).not.toHaveProperty(key);
  });

  test("may be an explicit HTTP proxy", () => {
    const all = listeners(outboundContext({ services: [http] }, { interception: "none", httpProxyPort: 15_002 }));
    const typedConfig = { rds: { routeConfigName: "http_proxy" }, httpProtocolOptions: { allowAbsoluteUrl: true } };
    expect(all.get("127.0.0.1_15002")).toMatchObject({ filterChains: [{ filters: [{ typedConfig }] }] });
  });
});

test("connections to unknown destinations are counted, at proxies with Istio's stats filter", () => {
  const capabilities = { ...stockListenerClient.capabilities, stats: true };
  const metrics = { defaultProviders: { accessLogs: [], traces: [], metrics: ["counts"] } };
  const policies = policiesWith({}, [{ name: "counts", prometheus: {} }]);
  const context = outboundContext({ services: [http], mesh: metrics }, { capabilities });
  const counting = listeners({ ...context, policies });
  const filters = [{ name: "istio.stats" }, { name: "envoy.filters.network.tcp_proxy" }];
  expect(counting.get("virtualOutbound")).toMatchObject({ filterChains: [{ filters }, { filters }] });
  expect(counting.get("0.0.0.0_80")).toMatchObject({ defaultFilterChain: { filters } });
  expect(JSON.stringify([...listeners(context).values()])).not.toContain("istio.stats");
});

test("redirection that keeps source addresses makes the listener transparent", () => {
  expect(named("virtualOutbound", [], { interception: "tproxy" })).toMatchObject({ transparent: true });
  expect(named("virtualOutbound", [])).not.toHaveProperty("transparent");
});

describe("encoding", () => {
  const count = 1000;
  const services = Array.from({ length: count }, (_, i) =>
    serviceOn(`s${i}`, i % 2 === 0 ? "HTTP" : "TCP", { port: 2000 + i, addresses: ["10.0.0.1"] }),
  );
  const workload = { canonicalRevision: "", canonicalService: "", clusterId: "", meshId: "", namespace: "" };
  const identity = { ...workload, tracer: undefined };

  test("takes few messages per listener, because shared content is encoded once", () => {
    const fresh = new ProtoWriter();
    expect(buildOutbound(outboundContext({ services }, { identity }), fresh)).toHaveLength(count + 1);
    // The filter's configuration, the filter, its chain, the listener.
    expect(fresh.encodings).toBeLessThan(4 * count + 40);
  });

  test("takes the listener alone if its services were encoded before", () => {
    const fresh = new ProtoWriter();
    const context = outboundContext({ services }, { identity });
    buildOutbound(context, fresh);
    const before = fresh.encodings;
    buildOutbound(context, fresh);
    expect(fresh.encodings - before).toBeLessThan(count + 10);
  });

  test("is shared by proxies that differ only in their identity, without tracing", () => {
    const fresh = new ProtoWriter();
    const tcp = services.filter(({ ports }) => ports[0]?.protocol === "TCP");
    const context = outboundContext({ services: tcp }, { identity });
    buildOutbound(context, fresh);
    const before = fresh.encodings;
    buildOutbound({ ...context, client: { ...context.client, identity: { ...identity, namespace: "b" } } }, fresh);
    expect(fresh.encodings - before).toBeLessThan(tcp.length + 10);
  });
});
