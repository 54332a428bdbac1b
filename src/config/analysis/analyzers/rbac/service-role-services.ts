import { fullHostname } from "../../../grammar/hostname.ts";
import { service } from "../../../kinds/kubernetes.ts";
import { serviceRole } from "../../../kinds/legacy/service-role.ts";
import type { Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";

export const serviceRoleServices: Analyzer = {
  name: "auth.ServiceRoleServicesAnalyzer",
  description: "Roles for services that are not there",
  inputs: [serviceRole, service],
  needs: [service],
  analyze(context) {
    const byNamespace = Map.groupBy(context.all(service), ({ namespace }) => namespace);
    for (const config of context.all(serviceRole)) {
      const here = byNamespace.get(config.namespace) ?? [];
      const hostnames = here.map(({ name }) => fullHostname(name, config.namespace, context.domain));
      for (const [index, { services }] of config.spec.rules.entries()) {
        for (const [at, pattern] of services.entries()) {
          if (hostnames.some((hostname) => fits(pattern, hostname))) continue;
          const about = { config, path: `spec.rules[${index}].services[${at}]` };
          if (pattern === "*") continue;
          context.report(messages.referencedResourceNotFound, about, { what: "service", reference: pattern });
        }
      }
    }
  },
};

/** `*` stands at the beginning or the end. */
function fits(pattern: string, hostname: string): boolean {
  if (pattern.endsWith("*")) return hostname.startsWith(pattern.slice(0, -1));
  return pattern.startsWith("*") ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}
