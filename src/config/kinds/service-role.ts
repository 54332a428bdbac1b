import { type AccessRule, ServiceRoleSchema } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import { fieldPath } from "../field-path.ts";
import { errorUnless } from "../finding.ts";
import type { Finding, Kind } from "../kind.ts";

/** A legacy kind, passed through for the consumers of MCP that still know it. */
export const serviceRole: Kind<typeof ServiceRoleSchema> = {
  kind: "ServiceRole",
  group: "rbac.istio.io",
  versions: ["v1alpha1"],
  plural: "serviceroles",
  scope: "namespace",
  collection: "k8s/rbac.istio.io/v1alpha1/serviceroles",
  schema: ServiceRoleSchema,
  validate: ({ spec: { rules } }) => [
    ...errorUnless(rules.length > 0, "spec.rules", { code: "missing-rule", message: "a ServiceRole needs a rule" }),
    ...rules.flatMap((rule, index) => accessRule(rule, fieldPath("spec.rules", index))),
  ],
};

function accessRule(rule: AccessRule, path: string): readonly Finding[] {
  return [
    ...notBoth(rule.methods, rule.notMethods, { path, names: "methods and notMethods" }),
    ...notBoth(rule.ports, rule.notPorts, { path, names: "ports and notPorts" }),
    ...rule.constraints.flatMap(({ key, values }, index) =>
      errorUnless(key !== "" && values.length > 0, fieldPath(path, "constraints", index), {
        code: "empty-constraint",
        message: "a constraint needs a key and values",
      }),
    ),
  ];
}

function notBoth(
  wanted: readonly unknown[],
  unwanted: readonly unknown[],
  { path, names }: { readonly path: string; readonly names: string },
): readonly Finding[] {
  return errorUnless(wanted.length === 0 || unwanted.length === 0, path, {
    code: "conflicting-fields",
    message: `only one of ${names} may be set`,
  });
}
