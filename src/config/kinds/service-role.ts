import { ServiceRoleSchema } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import type { Kind } from "../kind.ts";

/** A legacy kind, passed through for the consumers of MCP that still know it. */
export const serviceRole: Kind<typeof ServiceRoleSchema> = {
  kind: "ServiceRole",
  group: "rbac.istio.io",
  versions: ["v1alpha1"],
  plural: "serviceroles",
  scope: "namespace",
  collection: "k8s/rbac.istio.io/v1alpha1/serviceroles",
  schema: ServiceRoleSchema,
  validate: () => [],
};
