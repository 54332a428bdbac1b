import { create } from "@bufbuild/protobuf";
import {
  type AccessRule,
  type AccessRule_Constraint,
  RbacConfig_Mode as Mode,
  type RbacConfig,
  RbacConfigSchema,
  type ServiceRoleBinding,
  ServiceRoleBindingSchema,
  ServiceRoleSchema,
  type Subject,
} from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import { ownValue } from "../../../lib/own-value.ts";
import type { Config } from "../../config.ts";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import type { Kind } from "../../kind.ts";
import { optionalPortNumber } from "../../rules/port.ts";
import { allowedText, someText } from "../../rules/text.ts";
import { permissionOf } from "./rbac/permission.ts";
import { subjectConditions } from "./rbac/subject-conditions.ts";

/** Common fields of the kinds in rbac.istio.io, which AuthorizationPolicy replaced. */
const rbac = { group: "rbac.istio.io", versions: ["v1alpha1"] } as const;

function rbacCollection(plural: string): string {
  return `k8s/rbac.istio.io/v1alpha1/${plural}`;
}

/** An unusable switch is on everywhere. Then only roles that are bound grant access. */
function onEverywhere(): RbacConfig {
  return create(RbacConfigSchema, { mode: Mode.ON });
}

/** Switches access control on. */
export const clusterRbacConfig: Kind<typeof RbacConfigSchema> = {
  ...rbac,
  kind: "ClusterRbacConfig",
  plural: "clusterrbacconfigs",
  scope: "cluster",
  collection: rbacCollection("clusterrbacconfigs"),
  schema: RbacConfigSchema,
  validate: theOne,
  substitute: onEverywhere,
};

/** The older, namespaced form of ClusterRbacConfig. */
export const rbacConfig: Kind<typeof RbacConfigSchema> = {
  ...rbac,
  kind: "RbacConfig",
  plural: "rbacconfigs",
  scope: "namespace",
  collection: rbacCollection("rbacconfigs"),
  schema: RbacConfigSchema,
  validate: theOne,
  substitute: onEverywhere,
};

function theOne({ kind, name, spec: { mode, inclusion, exclusion } }: Config<RbacConfig>): readonly Finding[] {
  return [
    ...errorUnless(name === "default", "metadata.name", {
      code: "bad-name",
      message: `a ${kind} must be named default`,
    }),
    ...errorUnless(mode !== Mode.ON_WITH_INCLUSION || inclusion !== undefined, "spec.inclusion", {
      code: "missing-value",
      message: "ON_WITH_INCLUSION needs an inclusion",
    }),
    ...errorUnless(mode !== Mode.ON_WITH_EXCLUSION || exclusion !== undefined, "spec.exclusion", {
      code: "missing-value",
      message: "ON_WITH_EXCLUSION needs an exclusion",
    }),
  ];
}

/** Access rules under a name. Without a valid one, nobody gets the access. */
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
function accessRule(rule: AccessRule, path: string): readonly Finding[] {
  return [
    ...notBoth(rule.methods, rule.notMethods, { path, names: "methods and notMethods" }),
    ...notBoth(rule.ports, rule.notPorts, { path, names: "ports and notPorts" }),
    ...(["ports", "notPorts"] as const).flatMap((field) =>
      rule[field].flatMap((port, index) => optionalPortNumber(port, fieldPath(path, field, index))),
    ),
    ...rule.constraints.flatMap((value, index) => constraint(value, rule, fieldPath(path, "constraints", index))),
    ...permissionOf(rule, path).problems,
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
      message: "the rule already has ports or notPorts",
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

export const serviceRoleBinding: Kind<typeof ServiceRoleBindingSchema> = {
  ...rbac,
  kind: "ServiceRoleBinding",
  plural: "servicerolebindings",
  scope: "namespace",
  collection: rbacCollection("servicerolebindings"),
  schema: ServiceRoleBindingSchema,
  validate: ({ spec }) => [
    ...errorUnless(spec.subjects.length > 0, "spec.subjects", {
      code: "missing-subject",
      message: "a ServiceRoleBinding needs a subject",
    }),
    ...spec.subjects.flatMap((value, index) => subject(value, fieldPath("spec.subjects", index))),
    ...role(spec),
  ],
};

/** The properties of a subject that are also separate fields. */
const sameAs: Readonly<Record<string, readonly ListField[]>> = {
  "source.principal": ["names", "notNames"],
  "request.auth.claims[groups]": ["groups", "notGroups"],
  "source.namespace": ["namespaces", "notNamespaces"],
  "source.ip": ["ips", "notIps"],
};

type ListField = "names" | "notNames" | "groups" | "notGroups" | "namespaces" | "notNamespaces" | "ips" | "notIps";

function subject(value: Subject, path: string): readonly Finding[] {
  const properties = Object.keys(value.properties);
  const lists = Object.values(sameAs).flat();
  const says = value.user !== "" || value.group !== "" || lists.some((field) => value[field].length > 0);
  return [
    ...errorUnless(says || properties.length > 0, path, {
      code: "empty-subject",
      message: "a subject must set at least one field",
    }),
    ...errorUnless(![...value.names, ...value.notNames].includes("*"), path, {
      code: "bad-wildcard",
      message: 'a name cannot be "*"',
      hint: 'write user: "*" for everybody, or the property source.principal: "*" for everybody with an identity',
    }),
    ...subjectConditions(value, path).problems,
    ...properties.flatMap((key) =>
      errorUnless(
        !(ownValue(sameAs, key) ?? []).some((field) => value[field].length > 0),
        fieldPath(path, "properties", key),
        {
          code: "conflicting-fields",
          message: `${key} is already set by a field of the subject`,
        },
      ),
    ),
  ];
}

function role({ roleRef, role, actions }: ServiceRoleBinding): readonly Finding[] {
  const ways = [roleRef !== undefined, role !== "", actions.length > 0].filter(Boolean);
  return [
    ...errorUnless(ways.length === 1, "spec", {
      code: "conflicting-fields",
      message: "exactly one of roleRef, role and actions must be set",
    }),
    ...(roleRef === undefined
      ? []
      : [
          ...allowedText(roleRef.kind, ["ServiceRole"], "spec.roleRef.kind"),
          ...someText(roleRef.name, "spec.roleRef.name", "the name of the role"),
        ]),
    ...errorUnless(role !== "/", "spec.role", { code: "missing-name", message: "the name of the role is missing" }),
    ...actions.flatMap((rule, index) => accessRule(rule, fieldPath("spec.actions", index))),
  ];
}
