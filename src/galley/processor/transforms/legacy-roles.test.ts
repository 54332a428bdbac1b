import { describe, expect, test } from "vitest";
import {
  binding,
  deny,
  everybody,
  everything,
  grant,
  made,
  madeIn,
  on,
  rigWith,
  role,
  service,
  toCarts,
} from "../../../testing/galley/legacy-access.ts";

const versions = (...values: readonly string[]) => ({ key: "destination.labels[version]", values });
const is = (key: string, ...values: readonly string[]) => ({ key, values });
const isNot = (key: string, ...notValues: readonly string[]) => ({ key, notValues });

/** The rule of the only binding, for a role of one rule. */
function ruleOf(rule: string, subject: string): unknown {
  const policy = made(on, role(rule), binding(subject), service("carts"))[grant];
  return (policy as { readonly rules?: readonly unknown[] } | undefined)?.rules?.[0];
}

describe("the services of a role", () => {
  const services = [service("carts"), service("carts-db"), service("web"), service("carts", "bank")];

  test.each([
    ['["*"]', undefined],
    ["[]", undefined],
    ["[carts.shop.svc.cluster.local]", ["carts"]],
    ["[carts*]", ["carts", "carts-db"]],
    ['["*.shop.svc.cluster.local"]', ["carts", "carts-db", "web"]],
    ["[carts.shop.svc.cluster.local, web.shop.svc.cluster.local]", ["carts", "web"]],
  ])("%s are %s", (patterns, names) => {
    const policy = made(on, ...services, role(`{services: ${patterns}}`), everybody)[grant];
    expect(policy).toEqual({
      ...(names && { targetRefs: names.map((name) => ({ kind: "Service", name })) }),
      rules: [{}],
    });
  });

  test.each(["[carts]", "[other.shop.svc.cluster.local]", "[carts.bank.svc.cluster.local]"])(
    "%s are none, so the role grants nothing",
    (patterns) => {
      expect(made(on, ...services, role(`{services: ${patterns}}`), everybody)).toEqual(deny);
    },
  );

  test("are those of a ServiceEntry if all of its hosts fit", () => {
    const entry = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: entry, namespace: shop}
spec: {hosts: [a.example.com, b.example.org], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
`;
    const targetRefs = [{ group: "networking.istio.io", kind: "ServiceEntry", name: "entry" }];
    expect(made(on, entry, role("{services: [a.example.com, b.*]}"), everybody)[grant]).toMatchObject({ targetRefs });
    expect(made(on, entry, role("{services: [a.example.com]}"), everybody)).toEqual(deny);
  });

  test("of the root namespace are all named, because its policies apply to the mesh", () => {
    const texts = [role('{services: ["*"]}', "istio-system"), binding('{user: "*"}', "", "istio-system")];
    const key = "istio-system/legacy-servicerolebinding-web-0";
    expect(made(on, ...texts)).toEqual(deny);
    expect(made(on, ...texts, service("carts", "istio-system"))[key]).toEqual({ ...toCarts, rules: [{}] });
  });

  test("come and go", () => {
    const rig = rigWith(on, role("{services: [carts*]}"), everybody);
    expect(madeIn(rig)).toEqual(deny);
    rig.apply(service("carts"));
    expect(madeIn(rig)).toMatchObject({ [grant]: toCarts });
    rig.remove(service("carts"));
    expect(madeIn(rig)).toEqual(deny);
  });
});

describe("a rule of a role", () => {
  test("has the fields of an operation", () => {
    const lists = "hosts: [a], notHosts: [b], paths: [/a, /b*], notPaths: [/c], methods: [GET], ports: [8080]";
    expect(ruleOf(`{${lists}}`, '{user: "*"}')).toEqual({
      to: [
        {
          operation: {
            hosts: ["a"],
            notHosts: ["b"],
            paths: ["/a", "/b*"],
            notPaths: ["/c"],
            methods: ["GET"],
            ports: ["8080"],
          },
        },
      ],
    });
    expect(ruleOf("{notMethods: [GET], notPorts: [1]}", '{user: "*"}')).toEqual({
      to: [{ operation: { notMethods: ["GET"], notPorts: ["1"] } }],
    });
  });

  test.each([
    "request.headers[x-a]",
    "destination.ip",
    "destination.port",
    "connection.sni",
    "experimental.envoy.filters.a.b[c]",
  ])("has the condition %s", (key) => {
    const values = key.endsWith("ip") ? ["10.0.0.0/8"] : ["1", "2"];
    const constraints = JSON.stringify([{ key, values }]);
    expect(ruleOf(`{constraints: ${constraints}}`, '{user: "*"}')).toEqual({ when: [{ key, values }] });
  });

  test.each([
    ["destination.name", "carts", toCarts],
    ["destination.name", "c*", toCarts],
    ["destination.namespace", "shop", {}],
    ["destination.namespace", "*op", {}],
    ["destination.labels[version]", "v1", { selector: { matchLabels: { version: "v1" } } }],
  ])("with the constraint %s: %s applies to the workloads that it means", (key, value, attachment) => {
    const rule = `{constraints: ${JSON.stringify([{ key, values: [value] }])}}`;
    const policies = Object.values(made(on, service("carts"), role(rule), everybody));
    expect(policies).toContainEqual({ ...attachment, rules: [{}] });
  });

  test("with labels and services applies to the ports of each service, for each value", () => {
    const rule = '{services: [carts*], constraints: [{key: "destination.labels[version]", values: [v1, v2]}]}';
    const named = service("carts-far", "shop", "{selector: {app: far}, ports: [{port: 80, targetPort: named}]}");
    const policies = made(on, service("carts"), named, role(rule), everybody);
    const rules = [{ when: [{ key: "destination.port", values: ["8080"] }] }];
    const of = (version: string) => ({ selector: { matchLabels: { app: "carts", version } }, rules });
    expect(policies).toEqual({
      ...deny,
      [`${grant}-labels-0-carts`]: of("v1"),
      [`${grant}-labels-1-carts`]: of("v2"),
    });
  });

  test.each([
    ["another namespace", "destination.namespace", "bank"],
    ["another name", "destination.name", "web"],
    ["a service account, which no policy can name", "destination.user", "carts"],
    ["an unknown key", "destination.other", "a"],
    ["a label by wildcard", "destination.labels[version]", "v*"],
    ["a subnet that is none", "destination.ip", "carts"],
    ["a port that is none", "destination.port", "http"],
    ["a broken header", "request.headers[a", "b"],
  ])("grants nothing with %s", (_, key, value) => {
    const rule = `{constraints: ${JSON.stringify([{ key, values: [value] }])}}`;
    expect(made(on, service("carts"), role(rule), everybody)).toEqual(deny);
  });

  test.each(['{paths: ["/{*}"]}', '{notPaths: ["/a/{b}"]}'])("grants nothing with %s, a template of today", (rule) => {
    expect(made(on, role(rule), everybody)).toEqual(deny);
  });

  test("that cannot be expressed leaves the others in force", () => {
    const rules = "{constraints: [{key: destination.user, values: [a]}]}, {methods: [GET]}";
    expect(Object.keys(made(on, role(rules), everybody))).toContain("shop/legacy-servicerolebinding-web-1");
  });

  test("with two lists for one label needs a value of both", () => {
    const rule = `{constraints: ${JSON.stringify([versions("v1", "v2"), versions("v2", "v3")])}}`;
    expect(made(on, role(rule), everybody)).toEqual({
      ...deny,
      [`${grant}-labels-0`]: { selector: { matchLabels: { version: "v2" } }, rules: [{}] },
    });
  });
});

describe("a subject", () => {
  const groups = "request.auth.claims[groups]";

  test.each([
    ['{user: "*"}', []],
    ["{names: [allUsers, a]}", []],
    ["{names: [allAuthenticatedUsers]}", [is("source.principal", "*")]],
    ["{user: cluster.local/ns/a/sa/b}", [is("source.principal", "cluster.local/ns/a/sa/b")]],
    ["{names: [a, b*]}", [is("source.principal", "a", "b*")]],
    ["{notNames: [a]}", [isNot("source.principal", "a")]],
    ["{user: a, names: [b]}", [is("source.principal", "a"), is("source.principal", "b")]],
    ["{group: a, groups: [b]}", [is(groups, "a"), is(groups, "b")]],
    ["{notGroups: [a]}", [isNot(groups, "a")]],
    ["{namespaces: [a], notNamespaces: [b]}", [is("source.namespace", "a"), isNot("source.namespace", "b")]],
    ["{ips: [10.0.0.1], notIps: [10.0.0.0/8]}", [is("source.ip", "10.0.0.1"), isNot("source.ip", "10.0.0.0/8")]],
    ['{properties: {source.principal: "*"}}', [is("source.principal", "*")]],
    ["{properties: {source.user: a}}", [is("source.principal", "a")]],
    ...[
      "source.namespace",
      "request.auth.principal",
      "request.auth.audiences",
      "request.auth.presenter",
      "request.auth.claims[role]",
      "request.headers[x-a]",
    ].map((key) => [`{properties: {"${key}": a}}`, [is(key, "a")]] as const),
  ] as const)("%s has the conditions of an AuthorizationPolicy", (subject, when) => {
    expect(ruleOf("{methods: [GET]}", subject)).toEqual({
      to: [{ operation: { methods: ["GET"] } }],
      ...(when.length > 0 && { when }),
    });
  });

  test.each([
    "{notNames: [allUsers]}",
    "{properties: {source.other: a}}",
    '{properties: {"request.auth.claims[a][b]": c}}',
    '{properties: {"request.headers": c}}',
    "{ips: [a]}",
  ])("%s gets nothing", (subject) => {
    expect(made(on, everything, binding(subject))).toEqual(deny);
  });

  test("that cannot be expressed leaves the others in force", () => {
    const policy = made(on, everything, binding("{properties: {source.other: a}}, {user: b}"))[grant];
    expect(policy).toEqual({ rules: [{ when: [is("source.principal", "b")] }] });
  });
});
