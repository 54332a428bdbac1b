import { fullHostname, hostnameCovers } from "../../../hostname.ts";
import { destinationRule as ruleKind } from "../../../kinds/destination-rule.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import type { Analyzer } from "../../analyzer.ts";
import { mirrorDestinations, routeDestinations } from "../../facts/destinations.ts";
import { messages } from "../../messages.ts";

export const destinationRule: Analyzer = {
  name: "virtualservice.DestinationRuleAnalyzer",
  description: "Virtual services that route to subsets that no destination rule defines",
  inputs: [virtualService, ruleKind],
  analyze(context) {
    const defined = context.all(ruleKind).flatMap(({ namespace, spec: { host, subsets } }) => {
      const hostname = fullHostname(host, namespace, context.domain);
      return subsets.map(({ name }) => ({ hostname, name }));
    });
    const byName = Map.groupBy(defined, ({ name }) => name);
    for (const config of context.all(virtualService)) {
      const placed = [...routeDestinations(config.spec), ...mirrorDestinations(config.spec)];
      for (const { destination, path } of placed) {
        const { host, subset } = destination;
        const hostname = fullHostname(host, config.namespace, context.domain);
        const isDefined = byName.get(subset)?.some((rule) => hostnameCovers(rule.hostname, hostname));
        if (subset === "" || isDefined) continue;
        const about = { config, path: `${path}.subset` };
        const parameters = { what: "host+subset in destinationrule", reference: `${host}+${subset}` };
        context.report(messages.referencedResourceNotFound, about, parameters);
      }
    }
  },
};
