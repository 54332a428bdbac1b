import { type AccessRule, type AccessRule_Constraint, ServiceRoleSchema } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import type { Kind } from "../../kind.ts";
import { optionalPortNumber } from "../../rules/port.ts";
import { rbac, rbacCollection } from "./rbac.ts";

/** A legacy kind, passed through for MCP consumers that still use it. */
export const serviceRole: Kind<typeof ServiceRoleSchema> = {
  ...rbac,
  kind: "ServiceRole",
  plural: "serviceroles",
  scope: "namespace",
  collection: rbacCollection("serviceroles"),
  schema: ServiceRoleSchema,
  validate: ({ spec: { rules } }) => [
    ...errorUnless(rules.length > 0, "spec.rules", { code: "missing-rule", message: "a ServiceRole needs a rule" }),
    ...rules.flatMap((rule, index) => accessRule(rule, fieldPath("spec.rules", index))),
  ],
};

/** Checks one access rule of a role. */
export function accessRule(rule: AccessRule, path: string): readonly Finding[] {
  return [
    ...notBoth(rule.methods, rule.notMethods, { path, names: "methods and notMethods" }),
    ...notBoth(rule.ports, rule.notPorts, { path, names: "ports and notPorts" }),
    ...(["ports", "notPorts"] as const).flatMap((field) =>
      rule[field].flatMap((port, index) => optionalPortNumber(port, fieldPath(path, field, index))),
    ),
    ...rule.constraints.flatMap((value, index) => constraint(value, rule, fieldPath(path, "constraints", index))),
  ];
}

function constraint({ key, values }: AccessRule_Constraint, rule: AccessRule, path: string): readonly Finding[] {
  const saysPorts = rule.ports.length + rule.notPorts.length > 0;
  return [
    ...errorUnless(key !== "" && values.length > 0, path, {
      code: "empty-constraint",
      message: "a constraint needs a key and values",
    }),
    ...errorUnless(key !== "destination.port" || !saysPorts, `${path}.key`, {
      code: "conflicting-fields",
      message: "the ports of this rule are said by its ports or notPorts already",
    }),
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
