import type { DestinationRule, TrafficPolicy } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";

/**
 * A ConfigMap with CA certificates must be in the namespace of the rule, as in Istio. Otherwise a rule would trust
 * authorities that another tenant chooses.
 */
export function ownConfigMaps({ trafficPolicy, subsets }: DestinationRule, namespace: string): readonly Finding[] {
  return [
    ...ofPolicy(trafficPolicy, "spec.trafficPolicy", namespace),
    ...subsets.flatMap((subset, index) =>
      ofPolicy(subset.trafficPolicy, `${fieldPath("spec.subsets", index)}.trafficPolicy`, namespace),
    ),
  ];
}

function ofPolicy(policy: TrafficPolicy | undefined, path: string, namespace: string): readonly Finding[] {
  const ports = policy?.portLevelSettings ?? [];
  return [
    ...ofName(policy?.tls?.credentialName, path, namespace),
    ...ports.flatMap(({ tls }, index) =>
      ofName(tls?.credentialName, fieldPath(`${path}.portLevelSettings`, index), namespace),
    ),
  ];
}

const scheme = "configmap://";

function ofName(name = "", path: string, namespace: string): readonly Finding[] {
  if (!name.startsWith(scheme)) return [];
  const [owner, configMap] = name.slice(scheme.length).split("/");
  return errorUnless(owner === namespace && configMap !== undefined && configMap !== "", `${path}.tls.credentialName`, {
    code: "bad-namespace",
    message: `"${name}" is not a ConfigMap in the namespace of this rule`,
    hint: `write ${scheme}${namespace}/NAME`,
  });
}
