import { describe, expect, test } from "vitest";
import { fakeGateway, fakeServer, fakeServerTls } from "../../../../testing/model/fake-gateway.ts";
import { stockListenerClient } from "../../../../testing/model/fake-listener-client.ts";
import { serviceOn } from "../../../../testing/model/outbound-context.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeRule, fakeVirtualService } from "../../../../testing/model/traffic.ts";
import type { Gateway, GatewayServer } from "../../../model/gateway/gateway.ts";
import { mergeGateways } from "../../../model/gateway/merged-gateway.ts";
import type { Destination, TcpMatch, VirtualService } from "../../../model/traffic/virtual-service.ts";
import type { GatewayClient } from "./gateway-client.ts";
import { planGateway } from "./plan-gateway.ts";

const client: GatewayClient = {
  ...stockListenerClient,
  certificates: { type: "none" },
};

const anywhere: TcpMatch = { port: 0, gateways: [], sourceLabels: {}, sourceNamespace: "", destinationSubnets: [] };
const noChanges = { set: [], add: [], remove: [] };
const headers = { request: noChanges, response: noChanges };
const services = [serviceOn("a", "TCP"), serviceOn("b", "TLS", { port: 443 })];
const everyHost = [{ namespace: "*", hostname: "*" }];

function to(hostname: string, changes: Partial<Destination> = {}): Destination {
  return { hostname, subset: "", port: undefined, weight: 0, headers, ...changes };
}

function bySni(sniHosts: readonly string[], destination: string, match: Partial<TcpMatch> = {}) {
  return { matches: [{ ...anywhere, ...match, sniHosts }], destinations: [to(destination)] };
}

function routing(changes: Partial<VirtualService>): VirtualService {
  return fakeVirtualService({ hosts: ["*"], ...changes });
}

/** The plan of the only port of these servers. */
function planOf(
  servers: readonly Partial<GatewayServer>[],
  virtualServices: readonly VirtualService[],
  mesh: Parameters<typeof pushOf>[0] = {},
) {
  const gateway: Gateway = fakeGateway({ servers: servers.map((server) => fakeServer({ port: 443, ...server })) });
  const [port] = mergeGateways([gateway]).ports;
  if (port === undefined) throw new Error("there is a port");
  return planGateway(port, client, { namespace: "edge", push: pushOf({ services, virtualServices, ...mesh }) });
}

/** Each chain as the names it takes, and where it leads. */
function inShort({ chains }: ReturnType<typeof planGateway>): readonly string[] {
  return chains.map(({ match, action }) => {
    const names = match.serverNames.length === 0 ? "all" : match.serverNames.join("+");
    return `${names}: ${action.type === "http" ? action.routes : JSON.stringify(action.target.clusters)}`;
  });
}

const tcp = { protocol: "TCP" } as const;

/** A TCP server whose connections go to two services. */
function shared(...weights: readonly number[]) {
  const destinations = ["a.shop", "b.shop"].map((host, i) => to(host, { weight: weights[i] ?? 0 }));
  return planOf([tcp], [routing({ tcp: [{ matches: [], destinations }] })]);
}

describe("a TCP server", () => {
  test("uses the first route for its port and its gateway", () => {
    const routes = [
      { matches: [{ ...anywhere, port: 444 }], destinations: [to("no.shop")] },
      { matches: [{ ...anywhere, gateways: ["edge/other"] }], destinations: [to("no.shop")] },
      { matches: [{ ...anywhere, port: 443, gateways: ["edge/edge"] }], destinations: [to("a.shop")] },
    ];
    const first = routing({ tcp: routes });
    const second = routing({ name: "late", createdAt: 1, tcp: [{ matches: [], destinations: [to("b.shop")] }] });
    const plan = planOf([tcp], [second, first]);
    expect(inShort(plan)).toEqual(['all: "outbound|80||a.shop"']);
    expect(plan.chains[0]?.inspectsTls).toBe(false);
    expect(plan.owners).toEqual(["Gateway/edge/edge", first.owner]);
  });

  test("splits connections by weight, and sends none if all weights are 0", () => {
    const [chain] = shared(1, 2).chains;
    expect(chain?.action).toMatchObject({
      target: {
        statPrefix: "cart.shop",
        clusters: [
          { name: "outbound|80||a.shop", weight: 1 },
          { name: "outbound|443||b.shop", weight: 2 },
        ],
      },
    });
    expect(shared(0, 0).chains).toEqual([]);
  });

  test("ignores virtual services of other hosts", () => {
    const hosts = [{ namespace: "*", hostname: "x.com" }];
    const virtualService = routing({ hosts: ["y.com"], tcp: [{ matches: [], destinations: [to("a.shop")] }] });
    expect(planOf([{ ...tcp, hosts }], [virtualService]).chains).toEqual([]);
  });

  test("accepts only its own hosts by SNI if it terminates TLS", () => {
    const hosts = [{ namespace: "shop", hostname: "x.com" }];
    const virtualService = routing({ tcp: [{ matches: [], destinations: [to("a.shop")] }] });
    const server = { protocol: "TLS", hosts, tls: fakeServerTls() } as const;
    const plan = planOf([server], [virtualService]);
    expect(inShort(plan)).toEqual(['x.com: "outbound|80||a.shop"']);
    expect(plan.chains[0]?.tls).toBe(server.tls);
  });
});

describe("TLS passthrough", () => {
  const pass = { protocol: "TLS", hosts: everyHost, tls: fakeServerTls({ mode: "passthrough" }) } as const;

  test("is routed by the SNI hosts of virtual services, for the port and the gateway", () => {
    const tls = [
      bySni(["one.com", "two.com"], "b.shop"),
      bySni(["three.com"], "b.shop", { port: 444 }),
      bySni(["*"], "a.shop"),
      { matches: [], destinations: [to("a.shop")] },
    ];
    const plan = planOf([pass], [routing({ tls })]);
    expect(inShort(plan)).toEqual(['one.com+two.com: "outbound|443||b.shop"', 'all: "outbound|80||a.shop"']);
    expect(plan.chains.every(({ inspectsTls, tls: ends }) => inspectsTls && ends === undefined)).toBe(true);
  });

  test("keeps the first chain of an SNI, and reports the loser", () => {
    const first = routing({ tls: [bySni(["one.com"], "a.shop")] });
    const second = routing({ name: "late", createdAt: 1, tls: [bySni(["two.com", "one.com"], "b.shop")] });
    const plan = planOf([pass], [first, second]);
    expect(inShort(plan)).toEqual(['one.com: "outbound|80||a.shop"']);
    expect(plan.conflicts).toMatchObject([{ about: "0.0.0.0_443", winner: first.owner, losers: [second.owner] }]);
    expect(plan.owners).not.toContain(second.owner);
  });

  test("does not take a server name from a server that terminates TLS", () => {
    const https = {
      protocol: "HTTPS",
      portName: "x",
      hosts: [{ namespace: "*", hostname: "one.com" }],
      tls: fakeServerTls(),
    } as const;
    const plan = planOf([https, pass], [routing({ tls: [bySni(["one.com"], "a.shop")] })]);
    expect(inShort(plan)).toEqual(["one.com: https.443.x.edge.edge"]);
    expect(plan.conflicts).toMatchObject([{ winner: "Gateway/edge/edge", losers: ["VirtualService/shop/cart"] }]);
  });
});

test("mesh mTLS is passed through by port and subset of every service of the mesh that matches a host", () => {
  const automatic = {
    protocol: "TLS",
    hosts: [{ namespace: "*", hostname: "*.shop" }],
    tls: fakeServerTls({ mode: "auto-passthrough" }),
  } as const;
  const others = [serviceOn("out", "TCP", { meshExternal: true }), serviceOn("far", "TCP", { hostname: "far.away" })];
  const rule = fakeRule({ host: "a.shop", subsets: [{ name: "v1", labels: {}, trafficPolicy: undefined }] });
  const plan = planOf([automatic], [], { services: [...services, ...others], rules: [rule] });
  const names = ["outbound_.80_._.a.shop", "outbound_.80_.v1_.a.shop", "outbound_.443_._.b.shop"];
  expect(inShort(plan)).toEqual(names.map((name) => `${name}: "${name}"`));
  expect(plan.chains[0]?.match.applicationProtocols).toContain("istio");
});

test("servers that terminate HTTPS are separated by SNI, unless one accepts all", () => {
  const https = { protocol: "HTTPS", tls: fakeServerTls() } as const;
  const plan = planOf(
    [
      { ...https, portName: "a", hosts: [{ namespace: "*", hostname: "a.com" }] },
      { ...https, portName: "b", name: "rest", hosts: [...everyHost, { namespace: "*", hostname: "b.com" }] },
    ],
    [],
  );
  expect(inShort(plan)).toEqual(["a.com: https.443.a.edge.edge", "all: https.443.b.edge.edge"]);
  expect(plan.chains.map(({ action }) => action.type === "http" && action.statPrefix)).toEqual(["", "rest"]);
});
