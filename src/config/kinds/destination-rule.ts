import {
  type DestinationRule,
  DestinationRuleSchema,
  type Subset,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { isDnsLabel } from "../grammar/names.ts";
import type { Kind } from "../kind.ts";
import { exportTo } from "../rules/export-to.ts";
import { hostname } from "../rules/host.ts";
import { labelMap, selectorLabels } from "../rules/labels.ts";
import { unique } from "../rules/unique.ts";
import { networking, networkingCollection } from "./api-groups.ts";
import { ownConfigMaps } from "./destination-rule/config-map-name.ts";
import { trafficPolicy } from "./destination-rule/traffic-policy.ts";

export const destinationRule: Kind<typeof DestinationRuleSchema> = {
  ...networking,
  kind: "DestinationRule",
  plural: "destinationrules",
  collection: networkingCollection("destinationrules"),
  schema: DestinationRuleSchema,
  validate: ({ spec, namespace }) => [
    ...host(spec),
    ...trafficPolicy(spec.trafficPolicy, "spec.trafficPolicy"),
    ...spec.subsets.flatMap((value, index) => subset(value, fieldPath("spec.subsets", index))),
    ...unique(spec.subsets, "spec.subsets", { what: "the subset", field: ["name"], valueOf: ({ name }) => name }),
    ...exportTo(spec.exportTo, { namespace }),
    ...ownWorkloadsOnly(spec, namespace),
    ...ownConfigMaps(spec, namespace),
    ...selectorLabels(spec.workloadSelector?.matchLabels ?? {}, "spec.workloadSelector.matchLabels"),
  ],
};

/** A rule for every host (`*`) sets the defaults of a mesh. */
function host({ host }: DestinationRule): readonly Finding[] {
  return host === "*" ? [] : hostname(host, "spec.host");
}

/** A selector selects client workloads, and only in the rule's own namespace. */
function ownWorkloadsOnly({ workloadSelector, exportTo: scopes }: DestinationRule, namespace: string) {
  const isOwn = scopes.every((scope) => scope === "." || scope === namespace);
  return errorUnless(workloadSelector === undefined || isOwn, "spec.exportTo", {
    code: "conflicting-fields",
    message: "a rule with a workloadSelector applies only to its own namespace",
    hint: 'leave exportTo out, or write "."',
  });
}

function subset({ name, labels, trafficPolicy: policy }: Subset, path: string): readonly Finding[] {
  const naming =
    name === ""
      ? [error(`${path}.name`, { code: "missing-name", message: "a subset needs a name" })]
      : errorUnless(isDnsLabel(name), `${path}.name`, { code: "bad-name", message: `"${name}" cannot name a subset` });
  return [...naming, ...labelMap(labels, `${path}.labels`), ...trafficPolicy(policy, `${path}.trafficPolicy`)];
}
