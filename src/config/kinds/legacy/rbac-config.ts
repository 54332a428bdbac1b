import { RbacConfig_Mode as Mode, type RbacConfig, RbacConfigSchema } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import type { Config } from "../../config.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import type { Kind } from "../../kind.ts";
import { rbac, rbacCollection } from "./rbac.ts";

/** Switches access control on. */
export const clusterRbacConfig: Kind<typeof RbacConfigSchema> = {
  ...rbac,
  kind: "ClusterRbacConfig",
  plural: "clusterrbacconfigs",
  scope: "cluster",
  collection: rbacCollection("clusterrbacconfigs"),
  schema: RbacConfigSchema,
  validate: theOne,
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
};

function theOne({ kind, name, spec: { mode, inclusion, exclusion } }: Config<RbacConfig>): readonly Finding[] {
  return [
    ...errorUnless(name === "default", "metadata.name", {
      code: "bad-name",
      message: `the only ${kind} is named default`,
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
