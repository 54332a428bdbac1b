import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../../testing/analysis-input.ts";

const networking = "apiVersion: networking.istio.io/v1";

/** A service with these ports. */
const service = (name: string, ...ports: readonly number[]) => `
apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: shop }
spec: { selector: { app: ${name} }, ports: [${ports.map((port) => `{ port: ${port}, name: http-${port} }`).join(", ")}] }
---`;

const route = (spec: string, { name = "web", namespace = "shop" } = {}) => `
${networking}
kind: VirtualService
metadata: { name: ${name}, namespace: ${namespace} }
spec: ${spec}
---`;

const gateway = (name: string, hosts: string) => `
${networking}
kind: Gateway
metadata: { name: ${name}, namespace: edge }
spec: { selector: { istio: ingressgateway }, servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: [${hosts}] }] }
---`;

describe("a destination of a virtual service", () => {
  const analyzer = "virtualservice.DestinationHostAnalyzer";
  const to = (destination: string) => route(`{ hosts: [web], http: [{ route: [{ destination: ${destination} }] }] }`);

  test.each([
    ["is a service of its namespace", to("{ host: reviews }"), []],
    ["is a service by its full name", to("{ host: reviews.shop.svc.cluster.local }"), []],
    [
      "has to be there",
      to("{ host: review }"),
      ["IST0101 VirtualService shop/web spec.http[0].route[0].destination.host"],
    ],
    [
      "has to have the port",
      to("{ host: reviews, port: { number: 81 } }"),
      ["IST0101 VirtualService shop/web spec.http[0].route[0].destination.port"],
    ],
    [
      "chooses one of several ports",
      to("{ host: pages }"),
      ["IST0112 VirtualService shop/web spec.http[0].route[0].destination.host"],
    ],
    ["is clear with one port chosen", to("{ host: pages, port: { number: 443 } }"), []],
  ])("%s", (_, rule, expected) => {
    expect(findingsOf(service("reviews", 80) + service("pages", 80, 443) + rule, { analyzer })).toEqual(expected);
  });

  test("may be a wildcard entry that its namespace sees, and no other", () => {
    const entry = (exportTo: string) => `
${networking}
kind: ServiceEntry
metadata: { name: out, namespace: other }
spec: { hosts: ["*.example.com"], exportTo: [${exportTo}], resolution: NONE, ports: [{ number: 443, name: tls, protocol: TLS }] }
---`;
    expect(findingsOf(entry('"*"') + to("{ host: api.example.com }"), { analyzer })).toEqual([]);
    expect(findingsOf(entry('"shop"') + to("{ host: api.example.com }"), { analyzer })).toEqual([]);
    expect(findingsOf(entry('"."') + to("{ host: api.example.com }"), { analyzer })).toHaveLength(1);
  });

  test("of a mirror counts as well", () => {
    const mirrored = route(
      "{ hosts: [web], http: [{ route: [{ destination: { host: reviews } }], mirror: { host: shadow } }] }",
    );
    expect(findingsOf(service("reviews", 80) + mirrored, { analyzer })).toEqual([
      "IST0101 VirtualService shop/web spec.http[0].mirror.host",
    ]);
  });

  test("behind a gateway is not split by the subsets of the sidecars", () => {
    const split = route("{ hosts: [reviews], http: [{ route: [{ destination: { host: reviews, subset: v1 } }] }] }", {
      name: "split",
    });
    const entering = route(
      "{ hosts: [shop.com], gateways: [edge/main], http: [{ route: [{ destination: { host: reviews } }] }] }",
    );
    expect(findingsOf(service("reviews", 80) + split + entering, { analyzer })).toEqual([
      "IST0140 VirtualService shop/web spec.http[0].route[0].destination.host",
    ]);
    expect(findingsOf(service("reviews", 80) + split, { analyzer })).toEqual([]);
  });
});

describe("a subset of a destination", () => {
  const analyzer = "virtualservice.DestinationRuleAnalyzer";
  const rule = (host: string) => `
${networking}
kind: DestinationRule
metadata: { name: reviews, namespace: shop }
spec: { host: "${host}", subsets: [{ name: v1, labels: { version: v1 } }] }
---`;
  const to = (subset: string) =>
    route(`{ hosts: [web], http: [{ route: [{ destination: { host: reviews, subset: ${subset} } }] }] }`);

  test.each([
    ["is defined by the rule of its host", rule("reviews") + to("v1"), 0],
    ["is defined by a rule for many hosts", rule("*.shop.svc.cluster.local") + to("v1"), 0],
    ["is not defined by the rule of another host", rule("ratings") + to("v1"), 1],
    ["has to be in the rule", rule("reviews") + to("v2"), 1],
  ])("%s", (_, text, count) => {
    expect(findingsOf(text, { analyzer })).toHaveLength(count);
  });
});

describe("a gateway of a virtual service", () => {
  const analyzer = "virtualservice.GatewayAnalyzer";
  const at = (reference: string, host = "shop.com") =>
    route(`{ hosts: ["${host}"], gateways: ["${reference}"], http: [{ route: [{ destination: { host: a } }] }] }`);

  test.each([
    ["serves its host", gateway("main", "shop.com") + at("edge/main"), []],
    ["serves its host by a wildcard", gateway("main", '"*.com"') + at("edge/main"), []],
    ["serves it for the namespace it names", gateway("main", "shop/shop.com") + at("edge/main"), []],
    ["does not serve it for another namespace", gateway("main", "./shop.com") + at("edge/main"), ["IST0132"]],
    ["does not serve another host", gateway("main", "other.com") + at("edge/main"), ["IST0132"]],
    ["has to be there", at("edge/main"), ["IST0101", "IST0132"]],
    ["may be all sidecars", at("mesh"), []],
    ["is not one that Istio makes for itself", at("edge/x~istio-autogenerated-k8s-gateway~http"), ["IST0165"]],
  ])("%s", (_, text, codes) => {
    expect(findingsOf(text, { analyzer })).toEqual(
      codes.map((code) => `${code} VirtualService shop/web spec.gateways[0]`),
    );
  });
});

describe("hosts of virtual services for sidecars", () => {
  const analyzer = "virtualservice.ConflictingMeshGatewayHostsAnalyzer";
  const of = (namespace: string, spec: string) =>
    route(`{ ${spec}, http: [{ route: [{ destination: { host: a } }] }] }`, { namespace, name: "rule" });

  test.each([
    ["conflict by their full names", of("a", "hosts: [web]") + of("b", "hosts: [web.a.svc.cluster.local]"), ["a", "b"]],
    [
      "do not conflict at gateways",
      of("a", "hosts: [x.com], gateways: [g]") + of("b", "hosts: [x.com], gateways: [g]"),
      [],
    ],
    [
      "do not conflict where no namespace sees both",
      of("a", 'hosts: [x.com], exportTo: ["."]') + of("b", 'hosts: [x.com], exportTo: ["."]'),
      [],
    ],
    [
      "conflict where one namespace sees both",
      of("a", 'hosts: [x.com], exportTo: ["."]') + of("b", "hosts: [x.com]"),
      ["a", "b"],
    ],
    ["may be wildcards of each other", of("a", 'hosts: ["*.com"]') + of("b", "hosts: [x.com]"), []],
  ])("%s", (_, text, namespaces) => {
    expect(findingsOf(text, { analyzer })).toEqual(
      namespaces.map((name) => `IST0109 VirtualService ${name}/rule spec.hosts[0]`),
    );
  });
});

describe("a rule of a virtual service", () => {
  const analyzer = "virtualservice.UnreachableRuleAnalyzer";
  const rules = (...matches: readonly string[]) =>
    route(
      `{ hosts: [web], http: [${matches.map((match) => `{ ${match} route: [{ destination: { host: a } }] }`).join(", ")}] }`,
    );

  test.each([
    [
      "is used when it says something new",
      ["match: [{ uri: { prefix: /a } }],", "match: [{ uri: { prefix: /b } }],", ""],
      [],
    ],
    [
      "is not used after one without matches",
      ["", "match: [{ uri: { prefix: /b } }],"],
      ["IST0130 VirtualService shop/web spec.http[1]"],
    ],
    [
      "is not used when an earlier one has the same match",
      ["match: [{ uri: { exact: /a } }],", "match: [{ uri: { exact: /a } }],"],
      ["IST0130 VirtualService shop/web spec.http[1]"],
    ],
    [
      "is not used behind a shorter prefix",
      ["match: [{ uri: { prefix: / } }],", "match: [{ uri: { exact: /a } }],"],
      ["IST0130 VirtualService shop/web spec.http[1]"],
    ],
    [
      "is used behind one that asks for more",
      ["match: [{ uri: { prefix: / }, headers: { a: { exact: b } } }],", "match: [{ uri: { prefix: /a } }],"],
      [],
    ],
    [
      "is used behind one that asks for another header",
      ["match: [{ headers: { a: { exact: b } } }],", "match: [{ headers: { a: { exact: c } } }],"],
      [],
    ],
    [
      "is used in part when one of its matches is taken",
      ["match: [{ uri: { exact: /a } }],", "match: [{ uri: { exact: /a } }, { uri: { exact: /b } }],"],
      ["IST0131 VirtualService shop/web spec.http[1].match[0]"],
    ],
  ])("%s", (_, matches, expected) => {
    expect(findingsOf(rules(...matches), { analyzer })).toEqual(expected);
  });
});

test("a route by claims needs tokens that are validated on every pod of its gateway", () => {
  const analyzer = "virtualservice.JWTClaimRouteAnalyzer";
  const text =
    gateway("main", "shop.com") +
    route(
      '{ hosts: [shop.com], gateways: [edge/main], http: [{ match: [{ headers: { "@request.auth.claims.groups": { exact: a } } }], route: [{ destination: { host: a } }] }] }',
    );
  const authentication = (namespace: string) => `
apiVersion: security.istio.io/v1
kind: RequestAuthentication
metadata: { name: jwt, namespace: ${namespace} }
spec: { jwtRules: [{ issuer: a, jwksUri: "https://a.com/keys" }] }
`;
  expect(findingsOf(text, { analyzer })).toEqual([
    'IST0149 VirtualService shop/web spec.http[0].match[0].headers["@request.auth.claims.groups"]',
  ]);
  expect(findingsOf(text + authentication("istio-system"), { analyzer })).toEqual([]);
  expect(findingsOf(text + authentication("shop"), { analyzer })).toHaveLength(1);
});
