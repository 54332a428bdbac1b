import fc from "fast-check";
import type { ObjectEdit, WrittenObject } from "./written-objects.ts";

const hostname = "one.a.svc.cluster.local";
/** The root namespace too, whose policies apply to the mesh. */
const namespace = fc.constantFrom("a", "a", "a", "b", "istio-system");

function legacy(group: string, kind: string) {
  return (metadata: WrittenObject["metadata"], spec: object): WrittenObject => {
    return { apiVersion: `${group}.istio.io/v1alpha1`, kind, metadata, spec };
  };
}

const listed = fc.constantFrom<object>(
  { namespaces: ["a"] },
  { services: [hostname] },
  { namespaces: ["istio-system"] },
);
const mode = fc.oneof(
  fc.constantFrom<object>({ mode: "OFF" }, { mode: "ON" }, { mode: "ON", enforcementMode: "PERMISSIVE" }),
  listed.map((inclusion) => ({ mode: "ON_WITH_INCLUSION", inclusion })),
  listed.map((exclusion) => ({ mode: "ON_WITH_EXCLUSION", exclusion })),
);
const clusterRbacConfig = mode.map((spec) => legacy("rbac", "ClusterRbacConfig")({ name: "default" }, spec));
const rbacConfig = fc
  .record({ namespace, mode })
  .map((each) => legacy("rbac", "RbacConfig")({ namespace: each.namespace, name: "default" }, each.mode));

const accessRule = fc.constantFrom<object>(
  { services: ["*"] },
  { services: [hostname], methods: ["GET"] },
  { services: ["one*"], paths: ["/one/*"] },
  { services: ["*.a.svc.cluster.local"], constraints: [{ key: "destination.labels[app]", values: ["x", "y"] }] },
  { constraints: [{ key: "destination.labels[app]", values: ["x"] }] },
  { constraints: [{ key: "destination.user", values: ["x"] }] },
);
const serviceRole = fc
  .record({
    namespace,
    name: fc.constantFrom("reader", "writer"),
    rules: fc.array(accessRule, { minLength: 1, maxLength: 2 }),
  })
  .map(({ rules, ...metadata }) => legacy("rbac", "ServiceRole")(metadata, { rules }));

const subject = fc.constantFrom<object>(
  { user: "*" },
  { user: "cluster.local/ns/a/sa/one" },
  { properties: { "source.namespace": "b" } },
  { properties: { "source.other": "b" } },
);
const how = fc.oneof(
  fc.constantFrom("reader", "writer").map((name) => ({ roleRef: { kind: "ServiceRole", name } })),
  fc.constantFrom<object>({ role: "/reader" }),
  accessRule.map((rule) => ({ actions: [rule] })),
);
const serviceRoleBinding = fc
  .record({ namespace, name: fc.constantFrom("web", "all"), subject, how, trial: fc.nat(4) })
  .map(({ subject: who, how: what, trial, ...metadata }) =>
    legacy("rbac", "ServiceRoleBinding")(metadata, {
      subjects: [who],
      ...what,
      ...(trial === 0 && { mode: "PERMISSIVE" }),
    }),
  );

const authentication = fc.constantFrom<object>(
  { peers: [{ mtls: {} }] },
  { peers: [{ mtls: { mode: "PERMISSIVE" } }] },
  {},
  { origins: [{ jwt: { issuer: "one", jwks: '{"keys":[]}' } }] },
  { origins: [{ jwt: { issuer: "two", jwks: '{"keys":[]}' } }], originIsOptional: true, peers: [{ mtls: {} }] },
);
const targets = fc.constantFrom<object>(
  { targets: [{ name: "one" }] },
  { targets: [{ name: "one", ports: [{ number: 80 }] }, { name: "two" }] },
);
const policy = fc
  .record({ namespace, authentication, targets: fc.option(targets) })
  .map(({ namespace: where, authentication: how, targets: aimed }) =>
    legacy("authentication", "Policy")(
      { namespace: where, name: aimed === null ? "default" : "some" },
      { ...how, ...aimed },
    ),
  );
const meshPolicy = authentication.map((spec) => legacy("authentication", "MeshPolicy")({ name: "default" }, spec));

/** Objects of Istio before 1.6, which become policies of today. Often on, or the others would mean nothing. */
export const legacyObject: fc.Arbitrary<WrittenObject> = fc.oneof(
  { weight: 3, arbitrary: clusterRbacConfig },
  { weight: 2, arbitrary: rbacConfig },
  { weight: 3, arbitrary: serviceRole },
  { weight: 3, arbitrary: serviceRoleBinding },
  { weight: 3, arbitrary: policy },
  { weight: 2, arbitrary: meshPolicy },
);

export const legacyEdit: fc.Arbitrary<ObjectEdit> = fc.record({
  object: legacyObject,
  deleted: fc.nat(4).map((chance) => chance === 0),
});
