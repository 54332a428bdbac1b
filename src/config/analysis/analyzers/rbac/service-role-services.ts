import { fullHostname } from "../../../grammar/hostname.ts";
import { service } from "../../../kinds/kubernetes.ts";
import { serviceRole } from "../../../kinds/legacy/service-role.ts";
import type { Analyzer } from "../../analyzer.ts";
import { NamePatterns } from "../../facts/name-patterns.ts";
import { messages } from "../../messages.ts";

export const serviceRoleServices: Analyzer = {
  name: "auth.ServiceRoleServicesAnalyzer",
  description: "Roles for services that are not there",
  inputs: [serviceRole, service],
  needs: [service],
  analyze(context) {
    const services = Map.groupBy(context.all(service), ({ namespace }) => namespace);
    const byNamespace = new Map(
      Array.from(services, ([namespace, here]) => {
        return [namespace, new NamePatterns(here.map(({ name }) => fullHostname(name, namespace, context.domain)))];
      }),
    );
    for (const config of context.all(serviceRole)) {
      const hostnames = byNamespace.get(config.namespace) ?? new NamePatterns([]);
      for (const [index, { services }] of config.spec.rules.entries()) {
        for (const [at, pattern] of services.entries()) {
          if (fitsSome(pattern, hostnames)) continue;
          const about = { config, path: `spec.rules[${index}].services[${at}]` };
          if (pattern === "*") continue;
          context.report(messages.referencedResourceNotFound, about, { what: "service", reference: pattern });
        }
      }
    }
  },
};

/** `*` is at the beginning or the end. */
function fitsSome(pattern: string, hostnames: NamePatterns): boolean {
  if (pattern.endsWith("*")) return hostnames.someBegins(pattern.slice(0, -1));
  return pattern.startsWith("*") ? hostnames.someEnds(pattern.slice(1)) : hostnames.has(pattern);
}
