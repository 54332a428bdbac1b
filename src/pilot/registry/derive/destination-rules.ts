import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import { type Demand, demandOfRule, demandOfService } from "../../model/location/demand.ts";
import { type MeshSettings, settingsIn } from "../../model/mesh-settings.ts";
import type { Service } from "../../model/service/service.ts";
import type { DestinationRule, HostRules } from "../../model/traffic/destination-rule.ts";
import { destinationRuleOf, hostRulesKey, mergeRules } from "../destination-rule/destination-rule.ts";
import type { EnvironmentSettings, Inputs } from "../inputs.ts";

/** Destination rules: each by itself, and merged by host. */
export function deriveDestinationRules(
  graph: Graph,
  inputs: Inputs,
  mesh: Collection<MeshSettings>,
  settings: EnvironmentSettings,
) {
  const destinationRules = graph.derive({
    name: "destination rules",
    from: inputs.destinationRules,
    reads: { mesh },
    key: (rule: DestinationRule) => configKey(rule),
    to: (config, reads) => [destinationRuleOf(config, settingsIn(reads.mesh), settings.domain)],
  });
  const rulesByHost = graph.group({
    name: "destination rules by host",
    from: destinationRules,
    keys: (rule) => [hostRulesKey(rule)],
  });
  const hostRules = graph.derive({
    name: "host rules",
    from: rulesByHost,
    key: (rules: HostRules) => hostRulesKey(rules),
    to: mergeRules,
  });
  return { destinationRules, hostRules };
}

/** Facts about clients that rules and services need. Each fact occurs once, however many rules and services need it. */
export function deriveDemands(
  graph: Graph,
  mesh: Collection<MeshSettings>,
  { rules, services }: { readonly rules: Collection<DestinationRule>; readonly services: Collection<Service> },
) {
  const ofServices = graph.derive({
    name: "demands of services",
    from: services,
    reads: { mesh },
    key: demandKey,
    to: (service, reads) => listOf(demandOfService(service, settingsIn(reads.mesh))),
  });
  const ofRules = graph.derive({
    name: "demands of destination rules",
    from: rules,
    key: demandKey,
    to: (rule) => listOf(demandOfRule(rule)),
  });
  return graph.union<Demand>({ name: "demands", parts: [ofRules, ofServices] });
}

function demandKey(demand: Demand): string {
  return JSON.stringify(demand);
}

function listOf(demand: Demand | undefined): readonly Demand[] {
  return demand === undefined ? [] : [demand];
}
