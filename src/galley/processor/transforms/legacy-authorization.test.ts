import { describe, expect, test } from "vitest";
import {
  binding,
  cluster,
  configsIn,
  deny,
  everybody,
  everything,
  grant,
  legacy,
  made,
  madeIn,
  on,
  rigWith,
  role,
  service,
  toCarts,
} from "../../../testing/galley/legacy-access.ts";

const older = (mode: string, namespace = "shop") => legacy("RbacConfig", "default", `{mode: ${mode}}`, namespace);
const boundBy = (how: string) => legacy("ServiceRoleBinding", "web", `{subjects: [{user: "*"}], ${how}}`);
const toMethod = (method: string) => [{ to: [{ operation: { methods: [method] } }] }];
/** The value of the annotation, policy by policy, in the order of their names. */
const annotationIn = (name: string, ...texts: readonly string[]) =>
  [...configsIn(rigWith(...texts))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, config]) => config.annotations[name]);
const trialsIn = (...texts: readonly string[]) => annotationIn("istio.io/dry-run", ...texts);

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
    expect(trialsIn(on, everything, binding('{user: "*"}', ", mode: PERMISSIVE"))).toEqual([undefined, "true"]);
  });

  test("is a trial if the ClusterRbacConfig is PERMISSIVE, which denies nothing either", () => {
    expect(trialsIn(cluster("{mode: ON, enforcement_mode: PERMISSIVE}"), everything, everybody)).toEqual([
      "true",
      "true",
    ]);
  });

  test("is the origin of its policies, and the switch of those that deny", () => {
    const configs = configsIn(rigWith(on, everything, everybody));
    expect(annotationIn("binnacle.io/converted-from", on, everything, everybody)).toEqual([
      "ClusterRbacConfig default",
      "ServiceRoleBinding shop/web",
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
