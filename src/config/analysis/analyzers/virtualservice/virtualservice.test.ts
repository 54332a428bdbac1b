import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../../testing/config/analysis-input.ts";

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

const routeTo = (destination: string) =>
  route(`{ hosts: [web], http: [{ route: [{ destination: ${destination} }] }] }`);

const wildcardEntry = (exportTo: string) => `
${networking}
kind: ServiceEntry
metadata: { name: out, namespace: other }
spec: { hosts: ["*.example.com"], exportTo: [${exportTo}], resolution: NONE, ports: [{ number: 443, name: tls, protocol: TLS }] }
---`;

const exported = (exportTo: string) =>
  route(`{ hosts: [web], exportTo: [${exportTo}], http: [{ route: [{ destination: { host: api.example.com } }] }] }`);

describe("a destination of a virtual service", () => {
  const analyzer = "virtualservice.DestinationHostAnalyzer";

  test.each([
    ["is a service of its namespace", routeTo("{ host: reviews }"), []],
    ["is a service by its full name", routeTo("{ host: reviews.shop.svc.cluster.local }"), []],
    [
      "has to be there",
      routeTo("{ host: review }"),
      ["IST0101 VirtualService shop/web spec.http[0].route[0].destination.host"],
    ],
    [
      "has to have the port",
      routeTo("{ host: reviews, port: { number: 81 } }"),
      ["IST0101 VirtualService shop/web spec.http[0].route[0].destination.port"],
    ],
    [
      "chooses one of several ports",
      routeTo("{ host: pages }"),
      ["IST0112 VirtualService shop/web spec.http[0].route[0].destination.host"],
    ],
    [
      "cannot be left out",
      route("{ hosts: [web], http: [{ route: [{ weight: 1 }] }] }"),
      ["IST0101 VirtualService shop/web spec.http[0].route[0].destination.host"],
    ],
    ["is clear with one port chosen", routeTo("{ host: pages, port: { number: 443 } }"), []],
  ])("%s", (_, rule, expected) => {
    expect(findingsOf(service("reviews", 80) + service("pages", 80, 443) + rule, { analyzer })).toEqual(expected);
  });

  test("may be a wildcard entry that its namespace sees, but no other entry", () => {
    expect(findingsOf(wildcardEntry('"*"') + routeTo("{ host: api.example.com }"), { analyzer })).toEqual([]);
    expect(findingsOf(wildcardEntry('"shop"') + routeTo("{ host: api.example.com }"), { analyzer })).toEqual([]);
    expect(findingsOf(wildcardEntry('"."') + routeTo("{ host: api.example.com }"), { analyzer })).toHaveLength(1);
  });

  test("must be visible to the namespaces of the virtual service", () => {
    const entry = wildcardEntry('"shop"').replace('"*.example.com"', "api.example.com");
    expect(findingsOf(entry + exported("."), { analyzer })).toEqual([]);
    expect(findingsOf(entry + exported("front, shop"), { analyzer })).toEqual([]);
    expect(findingsOf(entry + exported("front"), { analyzer })).toHaveLength(1);
  });

  test("of a mirror is checked as well", () => {
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

const subsetRule = (host: string) => `
${networking}
kind: DestinationRule
metadata: { name: reviews, namespace: shop }
spec: { host: "${host}", subsets: [{ name: v1, labels: { version: v1 } }] }
---`;

const routeToSubset = (subset: string) =>
  route(`{ hosts: [web], http: [{ route: [{ destination: { host: reviews, subset: ${subset} } }] }] }`);

describe("a subset of a destination", () => {
  const analyzer = "virtualservice.DestinationRuleAnalyzer";

  test.each([
    ["is defined by the rule of its host", subsetRule("reviews") + routeToSubset("v1"), 0],
    ["is defined by a rule for many hosts", subsetRule("*.shop.svc.cluster.local") + routeToSubset("v1"), 0],
    ["is not defined by the rule of another host", subsetRule("ratings") + routeToSubset("v1"), 1],
    ["must be in the rule", subsetRule("reviews") + routeToSubset("v2"), 1],
  ])("%s", (_, text, count) => {
    expect(findingsOf(text, { analyzer })).toHaveLength(count);
  });
});

const routeAt = (reference: string, host = "shop.com") =>
  route(`{ hosts: ["${host}"], gateways: ["${reference}"], http: [{ route: [{ destination: { host: a } }] }] }`);

describe("a gateway of a virtual service", () => {
  const analyzer = "virtualservice.GatewayAnalyzer";

  test.each([
    ["serves its host", gateway("main", "shop.com") + routeAt("edge/main"), []],
    ["serves its host by a wildcard", gateway("main", '"*.com"') + routeAt("edge/main"), []],
    ["serves it for the namespace it names", gateway("main", "shop/shop.com") + routeAt("edge/main"), []],
    ["does not serve it for another namespace", gateway("main", "./shop.com") + routeAt("edge/main"), ["IST0132"]],
    ["does not serve another host", gateway("main", "other.com") + routeAt("edge/main"), ["IST0132"]],
    ["has to be there", routeAt("edge/main"), ["IST0101", "IST0132"]],
    ["may be all sidecars", routeAt("mesh"), []],
    ["is not one that Istio makes for itself", routeAt("edge/x~istio-autogenerated-k8s-gateway~http"), ["IST0165"]],
  ])("%s", (_, text, codes) => {
    expect(findingsOf(text, { analyzer })).toEqual(
      codes.map((code) => `${code} VirtualService shop/web spec.gateways[0]`),
    );
  });
});

const ruleOf = (namespace: string, spec: string) =>
  route(`{ ${spec}, http: [{ route: [{ destination: { host: a } }] }] }`, { namespace, name: "rule" });

describe("hosts of virtual services for sidecars", () => {
  const analyzer = "virtualservice.ConflictingMeshGatewayHostsAnalyzer";

  test.each([
    [
      "conflict by their full names",
      ruleOf("a", "hosts: [web]") + ruleOf("b", "hosts: [web.a.svc.cluster.local]"),
      ["a", "b"],
    ],
    [
      "do not conflict at gateways",
      ruleOf("a", "hosts: [x.com], gateways: [g]") + ruleOf("b", "hosts: [x.com], gateways: [g]"),
      [],
    ],
    [
      "do not conflict where no namespace sees both",
      ruleOf("a", 'hosts: [x.com], exportTo: ["."]') + ruleOf("b", 'hosts: [x.com], exportTo: ["."]'),
      [],
    ],
    [
      "conflict where one namespace sees both",
      ruleOf("a", 'hosts: [x.com], exportTo: ["."]') + ruleOf("b", "hosts: [x.com]"),
      ["a", "b"],
    ],
    ["may be wildcards of each other", ruleOf("a", 'hosts: ["*.com"]') + ruleOf("b", "hosts: [x.com]"), []],
  ])("%s", (_, text, namespaces) => {
    expect(findingsOf(text, { analyzer })).toEqual(
      namespaces.map((name) => `IST0109 VirtualService ${name}/rule spec.hosts[0]`),
    );
  });
});

const routeWith = (...matches: readonly string[]) =>
  route(
    `{ hosts: [web], http: [${matches.map((match) => `{ ${match} route: [{ destination: { host: a } }] }`).join(", ")}] }`,
  );

describe("a rule of a virtual service", () => {
  const analyzer = "virtualservice.UnreachableRuleAnalyzer";

  test.each([
    ["is used if its match is new", ["match: [{ uri: { prefix: /a } }],", "match: [{ uri: { prefix: /b } }],", ""], []],
    [
      "is not used after one without matches, nor is any other",
      ["", "match: [{ uri: { prefix: /b } }],", ""],
      ["IST0130 VirtualService shop/web spec.http[1]", "IST0130 VirtualService shop/web spec.http[2]"],
    ],
    [
      "is not used when an earlier one has the same match",
      ["match: [{ uri: { exact: /a } }],", "match: [{ name: again, uri: { exact: /a } }],"],
      ["IST0130 VirtualService shop/web spec.http[1]", "IST0131 VirtualService shop/web spec.http[1].match[0]"],
    ],
    [
      "has a useless match after a shorter prefix",
      ["match: [{ uri: { prefix: / } }],", "match: [{ uri: { exact: /a } }],"],
      ["IST0131 VirtualService shop/web spec.http[1].match[0]"],
    ],
    [
      "has a useless match after its own wider match",
      ["match: [{ uri: { prefix: /a } }, { uri: { prefix: /a/b } }],"],
      ["IST0131 VirtualService shop/web spec.http[0].match[1]"],
    ],
    ["is used before a wider rule", ["match: [{ uri: { prefix: /a/b } }],", "match: [{ uri: { prefix: /a } }],"], []],
    [
      "is used after a rule with more conditions",
      ["match: [{ uri: { prefix: / }, headers: { a: { exact: b } } }],", "match: [{ uri: { prefix: /a } }],"],
      [],
    ],
    [
      "is used after a rule with another header",
      ["match: [{ headers: { a: { exact: b } } }],", "match: [{ headers: { a: { exact: c } } }],"],
      [],
    ],
    [
      "is used in part when one of its matches is taken",
      ["match: [{ uri: { exact: /a } }],", "match: [{ uri: { exact: /a } }, { uri: { exact: /b } }],"],
      ["IST0131 VirtualService shop/web spec.http[1].match[0]"],
    ],
  ])("%s", (_, matches, expected) => {
    expect(findingsOf(routeWith(...matches), { analyzer })).toEqual(expected);
  });

  test.each([
    ["tcp", "port: 80", "port: 81"],
    ["tls", "sniHosts: [a.com]", "sniHosts: [b.com]"],
  ])("for %s is not used when an earlier one has the same matches", (list, one, other) => {
    const to = "route: [{ destination: { host: a } }]";
    const rules = (...matches: readonly string[]) =>
      route(`{ hosts: ["*.com"], ${list}: [${matches.map((match) => `{ match: [${match}], ${to} }`).join(", ")}] }`);
    const found = (...matches: readonly string[]) => findingsOf(rules(...matches), { analyzer });
    const [rule, match] = [
      `VirtualService shop/web spec.${list}[1]`,
      `VirtualService shop/web spec.${list}[1].match[0]`,
    ];
    expect(found(`{ ${one} }`, `{ ${other} }`)).toEqual([]);
    expect(found(`{ ${one} }`, `{ ${one} }`)).toEqual([`IST0130 ${rule}`, `IST0131 ${match}`]);
    expect(found(`{ ${one} }`, `{ ${one} }, { ${other} }`)).toEqual([`IST0131 ${match}`]);
  });
});

const authenticationIn = (namespace: string) => `
apiVersion: security.istio.io/v1
kind: RequestAuthentication
metadata: { name: jwt, namespace: ${namespace} }
spec: { jwtRules: [{ issuer: a, jwksUri: "https://a.com/keys" }] }
`;

test("a route by claims needs tokens that are validated on every pod of its gateway", () => {
  const analyzer = "virtualservice.JWTClaimRouteAnalyzer";
  const text =
    gateway("main", "shop.com") +
    route(
      '{ hosts: [shop.com], gateways: [edge/main], http: [{ match: [{ headers: { "@request.auth.claims.groups": { exact: a } } }], route: [{ destination: { host: a } }] }] }',
    );
  expect(findingsOf(text, { analyzer })).toEqual([
    'IST0149 VirtualService shop/web spec.http[0].match[0].headers["@request.auth.claims.groups"]',
  ]);
  expect(findingsOf(text + authenticationIn("istio-system"), { analyzer })).toEqual([]);
  expect(findingsOf(text + authenticationIn("shop"), { analyzer })).toHaveLength(1);
});
