import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { AuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { Config } from "../../../config/config.ts";
import { outputOf } from "../../../config/kind.ts";
import { authorizationPolicy } from "../../../config/kinds/authorization-policy.ts";
import { TransformerRig } from "../../../testing/galley/transformer-rig.ts";
import { legacyAuthorizationTransformer } from "./legacy-authorization.ts";

function legacy(kind: string, name: string, spec: string, namespace = "shop"): string {
  return `
apiVersion: rbac.istio.io/v1alpha1
kind: ${kind}
metadata: {name: ${name}${kind === "ClusterRbacConfig" ? "" : `, namespace: ${namespace}`}}
spec: ${spec}
`;
}

function service(
  name: string,
  namespace = "shop",
  spec = `{selector: {app: ${name}}, ports: [{port: 80, targetPort: 8080}]}`,
) {
  return `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
`;
}

const cluster = (spec: string) => legacy("ClusterRbacConfig", "default", spec);
const on = cluster("{mode: ON}");
const role = (rules: string, namespace = "shop") => legacy("ServiceRole", "reader", `{rules: [${rules}]}`, namespace);
const binding = (subjects: string, more = "", namespace = "shop") =>
  legacy(
    "ServiceRoleBinding",
    "web",
    `{subjects: [${subjects}], roleRef: {kind: ServiceRole, name: reader}${more}}`,
    namespace,
  );
const everybody = binding('{user: "*"}');
const everything = role('{services: ["*"]}');

function rigWith(...texts: readonly string[]): TransformerRig {
  const rig = new TransformerRig(legacyAuthorizationTransformer("cluster.local"));
  for (const text of texts) rig.apply(text);
  return rig;
}

function configsIn(rig: TransformerRig): ReadonlyMap<string, Config<AuthorizationPolicy>> {
  const output = rig.output(outputOf(authorizationPolicy) ?? "");
  return new Map([...output.entries()] as [string, Config<AuthorizationPolicy>][]);
}

function madeIn(rig: TransformerRig): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Array.from(configsIn(rig), ([key, { spec }]) => [key, toJson(authorizationPolicy.schema, spec)]),
  );
}

const made = (...texts: readonly string[]) => madeIn(rigWith(...texts));
const grant = "shop/legacy-servicerolebinding-web-0";
const deny = { "istio-system/legacy-clusterrbacconfig-default": {} };
const toCarts = { targetRefs: [{ kind: "Service", name: "carts" }] };

/** The rule of the only binding, for a role of one rule. */
function ruleOf(rule: string, subject: string): unknown {
  const policy = made(on, role(rule), binding(subject), service("carts"))[grant];
  return (policy as { readonly rules?: readonly unknown[] } | undefined)?.rules?.[0];
}

const older = (mode: string, namespace = "shop") => legacy("RbacConfig", "default", `{mode: ${mode}}`, namespace);
const versions = (...values: readonly string[]) => ({ key: "destination.labels[version]", values });
const is = (key: string, ...values: readonly string[]) => ({ key, values });
const isNot = (key: string, ...notValues: readonly string[]) => ({ key, notValues });
const boundBy = (how: string) => legacy("ServiceRoleBinding", "web", `{subjects: [{user: "*"}], ${how}}`);
const toMethod = (method: string) => [{ to: [{ operation: { methods: [method] } }] }];
const trialsIn = (...texts: readonly string[]) =>
  Array.from(configsIn(rigWith(...texts)).values(), ({ annotations }) => annotations["istio.io/dry-run"]);

describe("the mode of a ClusterRbacConfig", () => {
  test("OFF makes nothing, not even of roles that are bound", () => {
    expect(made(cluster("{mode: OFF}"), everything, everybody)).toEqual({});
    expect(made(everything, everybody)).toEqual({});
  });

  test("ON denies by default in the mesh", () => {
    expect(made(on)).toEqual(deny);
    expect(made(on, everything, everybody)).toEqual({ ...deny, [grant]: { rules: [{}] } });
  });

  test("ON_WITH_INCLUSION denies by default in its namespaces and at its services, and grants only there", () => {
    const included = cluster(
      "{mode: ON_WITH_INCLUSION, inclusion: {namespaces: [bank], services: [carts.shop.svc.cluster.local, carts.bank.svc.cluster.local]}}",
    );
    const services = [service("carts"), service("other"), service("carts", "bank")];
    expect(made(included, ...services, everything, everybody, role('{services: ["*"]}', "bank"))).toEqual({
      "bank/legacy-clusterrbacconfig-default": {},
      "shop/legacy-clusterrbacconfig-default-services": toCarts,
      [grant]: { ...toCarts, rules: [{}] },
    });
    expect(made(included, service("other"), everything, everybody)).toEqual({
      "bank/legacy-clusterrbacconfig-default": {},
    });
  });

  test("ON_WITH_EXCLUSION allows everything in its namespaces and at its services", () => {
    const excluded = cluster(
      "{mode: ON_WITH_EXCLUSION, exclusion: {namespaces: [bank], services: [carts.shop.svc.cluster.local]}}",
    );
    const other = [role('{services: ["*"]}', "bank"), binding('{user: "*"}', "", "bank")];
    expect(made(excluded, service("carts"), ...other)).toEqual({
      ...deny,
      "bank/legacy-clusterrbacconfig-default": { rules: [{}] },
      "shop/legacy-clusterrbacconfig-default-services": { ...toCarts, rules: [{}] },
    });
  });

  test.each([
    ["INCLUSION", {}, {}],
    ["EXCLUSION", deny, { rules: [{}] }],
  ])(
    "ON_WITH_%s names the root namespace by its services, because its policies apply to the mesh",
    (mode, wide, spec) => {
      const field = mode.toLowerCase();
      const listed = cluster(`{mode: ON_WITH_${mode}, ${field}: {namespaces: [istio-system]}}`);
      expect(made(listed, service("carts", "istio-system"))).toEqual({
        ...wide,
        "istio-system/legacy-clusterrbacconfig-default-services": { ...toCarts, ...spec },
      });
    },
  );

  test("follows the root namespace", () => {
    const rig = rigWith(on);
    rig.setMesh("rootNamespace: root");
    expect(madeIn(rig)).toEqual({ "root/legacy-clusterrbacconfig-default": {} });
  });
});

describe("an RbacConfig", () => {
  test("works like a ClusterRbacConfig", () => {
    expect(made(older("ON"))).toEqual({ "istio-system/legacy-rbacconfig-default": {} });
  });

  test("does not count beside a ClusterRbacConfig", () => {
    expect(made(older("ON"), cluster("{mode: OFF}"))).toEqual({});
    expect(made(older("OFF"), on)).toEqual(deny);
  });

  test("is on everywhere if several differ", () => {
    const listed = legacy("RbacConfig", "default", "{mode: ON_WITH_INCLUSION, inclusion: {namespaces: [a]}}", "bank");
    expect(made(older("OFF"), listed)).toEqual({ "istio-system/legacy-rbacconfig-default": {} });
    expect(made(older("OFF"), older("OFF", "bank"))).toEqual({});
  });
});

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

describe("a binding", () => {
  test("of a missing role grants nothing", () => {
    expect(made(on, everybody)).toEqual(deny);
  });

  test("names its role by role, also in the root namespace, or has actions of its own", () => {
    const inRoot = role("{methods: [PUT]}", "istio-system");
    expect(made(on, role("{methods: [GET]}"), inRoot, boundBy("role: reader"))[grant]).toEqual({
      rules: toMethod("GET"),
    });
    expect(made(on, role("{methods: [GET]}"), inRoot, boundBy("role: /reader"))[grant]).toEqual({
      rules: toMethod("PUT"),
    });
    expect(made(on, boundBy("actions: [{methods: [POST]}]"))[grant]).toEqual({ rules: toMethod("POST") });
  });

  test("that is PERMISSIVE is a trial", () => {
    expect(trialsIn(on, everything, binding('{user: "*"}', ", mode: PERMISSIVE"))).toEqual(["true", undefined]);
  });

  test("is a trial if the ClusterRbacConfig is PERMISSIVE, which denies nothing either", () => {
    expect(trialsIn(cluster("{mode: ON, enforcement_mode: PERMISSIVE}"), everything, everybody)).toEqual([
      "true",
      "true",
    ]);
  });

  test("is the origin of its policies, and the switch of those that deny", () => {
    const configs = configsIn(rigWith(on, everything, everybody));
    expect(Array.from(configs.values(), ({ annotations }) => annotations["binnacle.io/converted-from"])).toEqual([
      "ServiceRoleBinding shop/web",
      "ClusterRbacConfig default",
    ]);
    expect(configs.get(grant)?.origin.locate("")?.line).toBe(2);
  });

  test("follows its role", () => {
    const rig = rigWith(on, everybody, role("{methods: [GET]}"));
    rig.apply(role("{methods: [PUT]}"));
    expect(madeIn(rig)[grant]).toEqual({ rules: [{ to: [{ operation: { methods: ["PUT"] } }] }] });
    rig.remove(everything);
    expect(madeIn(rig)).toEqual(deny);
  });
});
