import type { DestinationRule as IstioDestinationRule } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { Config } from "../../config/config.ts";
import { configId } from "../../config/config.ts";
import { fullHostname } from "../../config/hostname.ts";
import { compareTexts } from "../../lib/compare.ts";
import { deepEqual } from "../../lib/equal.ts";
import { compareAge } from "../model/compare-age.ts";
import type { DestinationRule, HostRules, Subset } from "../model/destination-rule.ts";
import type { MeshSettings } from "../model/mesh-settings.ts";
import { trafficPolicyOf } from "./traffic-policy.ts";

export function destinationRuleOf(
  config: Config<IstioDestinationRule>,
  mesh: MeshSettings,
  domain: string,
): DestinationRule {
  const { spec } = config;
  return {
    name: config.name,
    namespace: config.namespace,
    createdAt: config.createdAt,
    host: fullHostname(spec.host, config.namespace, domain),
    exportTo: (spec.exportTo.length > 0 ? spec.exportTo : mesh.defaultDestinationRuleExportTo).toSorted(compareTexts),
    trafficPolicy: spec.trafficPolicy === undefined ? undefined : trafficPolicyOf(spec.trafficPolicy),
    subsets: spec.subsets.map(({ name, labels, trafficPolicy }) => ({
      name,
      labels,
      trafficPolicy: trafficPolicy === undefined ? undefined : trafficPolicyOf(trafficPolicy),
    })),
    owners: [configId("DestinationRule", config.namespace, config.name)],
  };
}

/** `namespace/host`: rules that share it are merged. */
export function hostRulesKey(rules: { readonly namespace: string; readonly host: string }): string {
  return `${rules.namespace}/${rules.host}`;
}

/** Merges the rules of one namespace for one host, oldest first: the first policy wins, and so do a subset's first words. */
export function mergeRules(rules: readonly DestinationRule[]): readonly HostRules[] {
  const merged: DestinationRule[] = [];
  for (const rule of rules.toSorted(compareAge)) {
    const alike = merged.findIndex((other) => deepEqual(other.exportTo, rule.exportTo));
    const base = merged[alike];
    if (base === undefined) merged.push({ ...rule, subsets: withUniqueNames(rule.subsets) });
    else merged[alike] = mergeInto(base, rule);
  }
  const [first] = merged;
  return first === undefined ? [] : [{ namespace: first.namespace, host: first.host, rules: merged }];
}

function mergeInto(base: DestinationRule, rule: DestinationRule): DestinationRule {
  return {
    ...base,
    trafficPolicy: base.trafficPolicy ?? rule.trafficPolicy,
    subsets: withUniqueNames([...base.subsets, ...rule.subsets]),
    owners: [...base.owners, ...rule.owners],
  };
}

function withUniqueNames(subsets: readonly Subset[]): readonly Subset[] {
  const byName = new Map<string, Subset>();
  for (const subset of subsets) if (!byName.has(subset.name)) byName.set(subset.name, subset);
  return [...byName.values()];
}
