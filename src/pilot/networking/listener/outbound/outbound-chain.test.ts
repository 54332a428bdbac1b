import { describe, expect, test } from "vitest";
import { outboundContext, serviceOn } from "../../../../testing/model/outbound-context.ts";
import { fakeRule, fakeVirtualService } from "../../../../testing/model/traffic.ts";
import type { ServiceEndpoints } from "../../../model/service/service.ts";
import type {
  Destination,
  TcpMatch,
  TcpRoute,
  TlsMatch,
  VirtualService,
} from "../../../model/traffic/virtual-service.ts";
import { matchAll } from "../chain-match.ts";
import { listenerCandidates } from "./listener-candidate.ts";
import type { OutboundChain } from "./outbound-chain.ts";
import { chainsOf } from "./outbound-chain.ts";

const noHeaders = { set: [], add: [], remove: [] };
const headers = { request: noHeaders, response: noHeaders };
const anything = { port: 0, gateways: [], sourceLabels: {}, sourceNamespace: "", destinationSubnets: [], sniHosts: [] };

function to(hostname: string, changes: Partial<Destination> = {}): Destination {
  return { hostname, subset: "", port: undefined, weight: 0, headers, ...changes };
}

function tcpRoute(matches: readonly Partial<TcpMatch>[], ...destinations: readonly Destination[]): TcpRoute {
  return { matches: matches.map((match) => ({ ...anything, ...match })), destinations };
}

function tlsRoute(matches: readonly Partial<TlsMatch>[], ...destinations: readonly Destination[]) {
  return { matches: matches.map((match) => ({ ...anything, ...match })), destinations };
}

function routing(changes: Partial<VirtualService>): VirtualService {
  return fakeVirtualService({ hosts: ["a.shop"], gateways: ["mesh"], ...changes });
}

const a = serviceOn("a", "TCP", { port: 90 });
const tls = serviceOn("a", "TLS", { port: 90 });
const b = serviceOn("b", "TCP", { port: 91 });
const many = serviceOn("many", "TCP", {
  ports: [90, 91].map((number) => ({ number, name: `p${number}`, protocol: "TCP", targetPort: number })),
});

interface World {
  readonly service?: typeof a;
  readonly rules?: readonly ReturnType<typeof fakeRule>[];
  readonly endpoints?: readonly ServiceEndpoints[];
}

/** The chains of the first candidate of a service, under these virtual services. */
function chains(virtualServices: readonly VirtualService[], { service = a, rules = [] }: World = {}, labels = {}) {
  const context = outboundContext({ services: [service, b, many], virtualServices, rules }, { labels });
  const candidate = listenerCandidates(context.scope, context.client, context.push).find(
    (one) => one.service === service,
  );
  if (candidate === undefined) throw new Error("nobody listens for it");
  return chainsOf(candidate, context);
}

function clustersOf(list: readonly OutboundChain[]): readonly unknown[] {
  return list.map(({ action }) => (action.type === "tcp" ? action.clusters : action.routes));
}

describe("TCP connections", () => {
  test("go to the service itself by default", () => {
    expect(clustersOf(chains([]))).toEqual(["outbound|90||a.shop"]);
  });

  test("use the first route that applies", () => {
    const first = tcpRoute([{ port: 1 }], to("many.shop"));
    const second = tcpRoute([], to("b.shop", { subset: "v1" }));
    expect(clustersOf(chains([routing({ tcp: [first, second] })]))).toEqual(["outbound|91|v1|b.shop"]);
  });

  test("keep the listener's port where a destination has several and names none", () => {
    expect(clustersOf(chains([routing({ tcp: [tcpRoute([], to("many.shop"))] })]))).toEqual(["outbound|90||many.shop"]);
  });

  test("are split by weight, without destinations of weight 0", () => {
    const route = tcpRoute([], to("b.shop", { weight: 70 }), to("many.shop", { weight: 30, port: 91 }), to("a.shop"));
    const [chain] = chains([routing({ name: "split", tcp: [route] })]);
    expect(chain?.action).toMatchObject({
      statPrefix: "split.shop",
      clusters: [
        { name: "outbound|91||b.shop", weight: 70 },
        { name: "outbound|91||many.shop", weight: 30 },
      ],
    });
  });

  test("to some subnets go elsewhere, all others to the service", () => {
    const found = chains([routing({ tcp: [tcpRoute([{ destinationSubnets: ["10.5.0.0/16"] }], to("b.shop"))] })]);
    expect(clustersOf(found)).toEqual(["outbound|91||b.shop", "outbound|90||a.shop"]);
    expect(found[0]?.match.destinations).toEqual(["10.5.0.0/16"]);
  });

  test.each<[string, Partial<TcpMatch>, boolean]>([
    ["of the mesh", { gateways: ["mesh"] }, true],
    ["of a gateway", { gateways: ["edge/edge"] }, false],
    ["of workloads like this", { sourceLabels: { app: "web" } }, true],
    ["of other workloads", { sourceLabels: { app: "other" } }, false],
    ["of this namespace", { sourceNamespace: "web" }, true],
    ["of another namespace", { sourceNamespace: "shop" }, false],
    ["of this port", { port: 90 }, true],
    ["of another port", { port: 91 }, false],
  ])("%s are meant: %j", (_, match, meant) => {
    const found = chains([routing({ tcp: [tcpRoute([match], to("b.shop"))] })], {}, { app: "web" });
    expect(clustersOf(found)).toEqual([meant ? "outbound|91||b.shop" : "outbound|90||a.shop"]);
  });

  test("last as long as the rule of their first destination sets, and the rule then owns the listener too", () => {
    const rule = fakeRule({ host: "b.shop" });
    const route = routing({ tcp: [tcpRoute([], to("b.shop"))] });
    const [chain] = chains([route], { rules: [rule] });
    expect(chain?.action).toMatchObject({ rule });
    expect(chain?.owners).toEqual([a.owner, route.owner, ...rule.owners]);
  });
});

function namesIn(list: readonly OutboundChain[]): readonly (readonly string[])[] {
  return list.map(({ match }) => match.serverNames);
}

describe("TLS passthrough", () => {
  test("is matched by the service's hostname only where its address is not enough", () => {
    expect(namesIn(chains([], { service: tls }))).toEqual([["a.shop"]]);
    expect(namesIn(chains([], { service: { ...tls, addresses: ["10.0.0.1"] } }))).toEqual([[]]);
    expect(namesIn(chains([], { service: { ...tls, addresses: ["10.0.0.0/8"] } }))).toEqual([["a.shop"]]);
  });

  test("is routed by its SNI, and goes nowhere else", () => {
    const routes = [
      tlsRoute([{ sniHosts: ["x.a"] }, { sniHosts: ["y.a"] }], to("b.shop")),
      tlsRoute([], to("many.shop")),
    ];
    const found = chains([routing({ tls: routes })], { service: tls });
    expect(namesIn(found)).toEqual([["x.a"], ["y.a"]]);
    expect(clustersOf(found)).toEqual(["outbound|91||b.shop", "outbound|91||b.shop"]);
  });

  test("ignores TCP routes", () => {
    const found = chains([routing({ tcp: [tcpRoute([], to("b.shop"))] })], { service: tls });
    expect(clustersOf(found)).toEqual(["outbound|90||a.shop"]);
  });
});

test("a service without its own addresses is matched by SNI, with its hostname and all its aliases", () => {
  const alias = { hostname: "old.shop.svc.cluster.local", ports: [], owner: tls.owner };
  const [chain] = chains([], { service: { ...tls, aliases: [alias] } });
  const short = ["old.shop.svc", "old.shop"];
  expect(chain?.match.serverNames).toEqual(["a.shop", alias.hostname, `${alias.hostname}.`, ...short]);
});

test("connections to an explicit proxy are HTTP, without protocol detection", () => {
  const service = serviceOn("a", "HTTP_PROXY", { port: 90 });
  expect(chains([], { service })).toMatchObject([{ match: matchAll, action: { type: "http", routes: "90" } }]);
});
