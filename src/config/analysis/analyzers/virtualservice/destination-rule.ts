import { fullHostname, isWildcard } from "../../../grammar/hostname.ts";
import { destinationRule as ruleKind } from "../../../kinds/destination-rule.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import type { Analyzer } from "../../analyzer.ts";
import { mirrorDestinations, routeDestinations } from "../../facts/destinations.ts";
import { askedWildcards, HostIndex } from "../../facts/host-index.ts";
import { messages } from "../../messages.ts";

export const destinationRule: Analyzer = {
  name: "virtualservice.DestinationRuleAnalyzer",
  description: "Virtual services that route to subsets that no destination rule defines",
  inputs: [virtualService, ruleKind],
  analyze(context) {
    const defined = new Set<string>();
    const wildcards = new HostIndex<string>(askedWildcards([]));
    for (const { namespace, spec } of context.all(ruleKind)) {
      const hostname = fullHostname(spec.host, namespace, context.domain);
      if (isWildcard(hostname)) wildcards.add(hostname, hostname);
      for (const { name } of spec.subsets) defined.add(keyOf(hostname, name));
    }
    for (const config of context.all(virtualService)) {
      const placed = [...routeDestinations(config.spec), ...mirrorDestinations(config.spec)];
      for (const { destination, path } of placed) {
        const { host, subset } = destination;
        const hostname = fullHostname(host, config.namespace, context.domain);
        const hostnames = [hostname, ...wildcards.groups(hostname).flat()];
        if (subset === "" || hostnames.some((each) => defined.has(keyOf(each, subset)))) continue;
        const about = { config, path: `${path}.subset` };
        const parameters = { what: "host+subset in destinationrule", reference: `${host}+${subset}` };
        context.report(messages.referencedResourceNotFound, about, parameters);
      }
    }
  },
};

function keyOf(hostname: string, subset: string): string {
  return `${hostname} ${subset}`;
}
