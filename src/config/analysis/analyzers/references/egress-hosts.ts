import { fullHostname, isWildcard } from "../../../grammar/hostname.ts";
import { service } from "../../../kinds/kubernetes.ts";
import { serviceEntry } from "../../../kinds/service-entry.ts";
import { sidecar } from "../../../kinds/sidecar.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { askedWildcards, HostIndex } from "../../facts/host-index.ts";
import { messages } from "../../messages.ts";

/** Checks single names only. Imports of whole domains and namespaces may be for future services. */
export const egressHosts: Analyzer = {
  name: "references.EgressHostAnalyzer",
  description: "Sidecars that import hosts that are not there",
  inputs: [service, serviceEntry, sidecar, virtualService],
  needs: [service],
  analyze(context) {
    const known = knownHosts(context);
    for (const config of context.all(sidecar)) {
      for (const [index, { hosts }] of config.spec.egress.entries()) {
        for (const [at, reference] of hosts.entries()) {
          const hostname = reference.slice(reference.indexOf("/") + 1);
          if (isWildcard(hostname) || known.groups(hostname).length > 0) continue;
          const about = { config, path: `spec.egress[${index}].hosts[${at}]` };
          const instead = "nothing is imported";
          context.report(messages.danglingReference, about, { what: "host", reference, instead });
        }
      }
    }
  },
};

/** Virtual services are imported by their hosts, too. */
function knownHosts(context: AnalysisContext): HostIndex<string> {
  const known = new HostIndex<string>(askedWildcards([]));
  const services = context.all(service).map(({ name, namespace }) => fullHostname(name, namespace, context.domain));
  const written = [...context.all(serviceEntry), ...context.all(virtualService)].flatMap(({ namespace, spec }) =>
    spec.hosts.map((host) => fullHostname(host, namespace, context.domain)),
  );
  for (const host of [...services, ...written]) known.add(host, host);
  return known;
}
