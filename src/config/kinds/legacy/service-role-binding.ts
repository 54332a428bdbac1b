import { type ServiceRoleBinding, ServiceRoleBindingSchema, type Subject } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import { ownValue } from "../../../lib/own-value.ts";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import type { Kind } from "../../kind.ts";
import { oneOf, someText } from "../../rules/text.ts";
import { rbac, rbacCollection } from "./rbac.ts";
import { accessRule } from "./service-role.ts";

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
      message: "a subject must say something of the client",
    }),
    ...errorUnless(![...value.names, ...value.notNames].includes("*"), path, {
      code: "bad-wildcard",
      message: 'a name cannot be "*"',
      hint: 'write user: "*" for everybody, or the property source.principal: "*" for everybody with an identity',
    }),
    ...properties.flatMap((key) =>
      errorUnless(
        !(ownValue(sameAs, key) ?? []).some((field) => value[field].length > 0),
        fieldPath(path, "properties", key),
        {
          code: "conflicting-fields",
          message: `${key} is said by a field of the subject already`,
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
          ...oneOf(roleRef.kind, ["ServiceRole"], "spec.roleRef.kind"),
          ...someText(roleRef.name, "spec.roleRef.name", "the name of the role"),
        ]),
    ...errorUnless(role !== "/", "spec.role", { code: "missing-name", message: "the name of the role is missing" }),
    ...actions.flatMap((rule, index) => accessRule(rule, fieldPath("spec.actions", index))),
  ];
}
