import { toJson } from "@bufbuild/protobuf";
import type { AuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { Config } from "../../config/config.ts";
import { outputOf } from "../../config/kind.ts";
import { authorizationPolicy } from "../../config/kinds/authorization-policy.ts";
import { legacyAuthorizationTransformer } from "../../galley/processor/transforms/legacy-authorization.ts";
import { TransformerRig } from "./transformer-rig.ts";

/** An object of the access control before Istio 1.6. */
export function legacy(kind: string, name: string, spec: string, namespace = "shop"): string {
  return `
apiVersion: rbac.istio.io/v1alpha1
kind: ${kind}
metadata: {name: ${name}${kind === "ClusterRbacConfig" ? "" : `, namespace: ${namespace}`}}
spec: ${spec}
`;
}

export function service(
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

export const cluster = (spec: string) => legacy("ClusterRbacConfig", "default", spec);
export const on = cluster("{mode: ON}");
export const role = (rules: string, namespace = "shop") =>
  legacy("ServiceRole", "reader", `{rules: [${rules}]}`, namespace);
export const binding = (subjects: string, more = "", namespace = "shop") =>
  legacy(
    "ServiceRoleBinding",
    "web",
    `{subjects: [${subjects}], roleRef: {kind: ServiceRole, name: reader}${more}}`,
    namespace,
  );
export const everybody = binding('{user: "*"}');
export const everything = role('{services: ["*"]}');

/** The conversion of these objects. */
export function rigWith(...texts: readonly string[]): TransformerRig {
  const rig = new TransformerRig(legacyAuthorizationTransformer("cluster.local"));
  for (const text of texts) rig.apply(text);
  return rig;
}

/** The policies that the conversion made, by `NAMESPACE/NAME`. */
export function configsIn(rig: TransformerRig): ReadonlyMap<string, Config<AuthorizationPolicy>> {
  const output = rig.output(outputOf(authorizationPolicy) ?? "");
  return new Map([...output.entries()] as [string, Config<AuthorizationPolicy>][]);
}

export function madeIn(rig: TransformerRig): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Array.from(configsIn(rig), ([key, { spec }]) => [key, toJson(authorizationPolicy.schema, spec)]),
  );
}

/** The specs of the policies that the conversion of these objects makes. */
export const made = (...texts: readonly string[]) => madeIn(rigWith(...texts));
/** The policy of the only binding. */
export const grant = "shop/legacy-servicerolebinding-web-0";
/** The policy that denies by default in the mesh. */
export const deny = { "istio-system/legacy-clusterrbacconfig-default": {} };
export const toCarts = { targetRefs: [{ kind: "Service", name: "carts" }] };
