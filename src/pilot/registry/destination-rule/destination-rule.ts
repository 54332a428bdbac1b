import type { DestinationRule as IstioDestinationRule } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { Config } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import { fullHostname } from "../../../config/grammar/hostname.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { deepEqual } from "../../../lib/equal.ts";
import { compareAge } from "../../model/compare-age.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { DestinationRule, HostRules, Subset } from "../../model/traffic/destination-rule.ts";
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
    exportTo: exportToOf(spec, mesh),
    selector: spec.workloadSelector?.matchLabels,
    trafficPolicy: spec.trafficPolicy === undefined ? undefined : trafficPolicyOf(spec.trafficPolicy),
    subsets: spec.subsets.map(({ name, labels, trafficPolicy }) => ({
      name,
      labels,
      trafficPolicy: trafficPolicy === undefined ? undefined : trafficPolicyOf(trafficPolicy),
    })),
    owners: [configId("DestinationRule", config.namespace, config.name)],
  };
}

/** A rule with a selector applies only to its own namespace, whatever its `exportTo` is. */
function exportToOf({ exportTo, workloadSelector }: IstioDestinationRule, mesh: MeshSettings): readonly string[] {
  if (workloadSelector !== undefined) return ["."];
  return (exportTo.length > 0 ? exportTo : mesh.defaultDestinationRuleExportTo).toSorted(compareTexts);
}

/** `namespace/host`: rules that share it are merged. */
export function hostRulesKey(rules: { readonly namespace: string; readonly host: string }): string {
  return `${rules.namespace}/${rules.host}`;
}

/**
 * Merges the rules of one namespace for one host. Rules with a selector come first, then the oldest. The first policy
 * wins, and so does the first definition of a subset. Rules for all clients also add to rules for fewer clients.
 */
export function mergeRules(rules: readonly DestinationRule[]): readonly HostRules[] {
  let merged: readonly DestinationRule[] = [];
  for (const rule of rules.toSorted(comparePrecedence)) {
    const absorbed = merged.some((base) => addsTo(base, rule) && isSameAudience(base, rule));
    const added = merged.map((base) => (addsTo(base, rule) ? mergeInto(base, rule) : base));
    merged = absorbed ? added : [...added, { ...rule, subsets: withUniqueNames(rule.subsets) }];
  }
  const [first] = merged;
  return first === undefined ? [] : [{ namespace: first.namespace, host: first.host, rules: merged }];
}

function comparePrecedence(a: DestinationRule, b: DestinationRule): number {
  return Number(a.selector === undefined) - Number(b.selector === undefined) || compareAge(a, b);
}

/** True when every client of `base` also sees `rule`. */
function addsTo(base: DestinationRule, rule: DestinationRule): boolean {
  if (rule.selector !== undefined && !deepEqual(base.selector, rule.selector)) return false;
  return new Set(base.exportTo).isSubsetOf(new Set(rule.exportTo));
}

function isSameAudience(a: DestinationRule, b: DestinationRule): boolean {
  return deepEqual(a.exportTo, b.exportTo) && deepEqual(a.selector, b.selector);
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
