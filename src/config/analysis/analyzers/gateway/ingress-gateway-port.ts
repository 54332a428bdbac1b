import { gateway } from "../../../kinds/gateway.ts";
import { service } from "../../../kinds/kubernetes.ts";
import { selects } from "../../../selector.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { selectorText } from "../../facts/labels.ts";
import { type Workload, workloadKinds, workloads } from "../../facts/workloads.ts";
import { messages } from "../../messages.ts";

export const ingressGatewayPort: Analyzer = {
  name: "gateway.IngressGatewayPortAnalyzer",
  description: "Gateways whose workloads are not there, or are not reached on the ports of the gateway",
  inputs: [gateway, service, ...workloadKinds],
  needs: [service, ...workloadKinds],
  analyze(context) {
    const candidates = workloads(context);
    for (const config of context.all(gateway)) {
      const { selector, servers } = config.spec;
      const text = selectorText(selector);
      const selected = candidates.filter(({ labels }) => selects(selector, labels));
      if (selected.length === 0) {
        const about = { config, path: "spec.selector" };
        context.report(messages.referencedResourceNotFound, about, { what: "selector", reference: text });
        continue;
      }
      const exposed = portsOfServices(selected, context);
      for (const [index, { port }] of servers.entries()) {
        if (port === undefined || exposed.has(port.number)) continue;
        const about = { config, path: `spec.servers[${index}].port.number` };
        context.report(messages.gatewayPortNotOnService, about, { selector: text, port: port.number });
      }
    }
  },
};

/** Any service that selects one of the workloads will do. The port that matters is the one that the proxy listens on. */
function portsOfServices(selected: readonly Workload[], context: AnalysisContext): ReadonlySet<number> {
  const inFront = context.all(service).filter(({ namespace, spec: { selector } }) => {
    if (Object.keys(selector).length === 0) return false;
    return selected.some((workload) => workload.namespace === namespace && selects(selector, workload.labels));
  });
  const tcp = inFront.flatMap(({ spec }) => spec.ports.filter(({ protocol }) => protocol === "" || protocol === "TCP"));
  return new Set(tcp.map(({ port, targetPort }) => targetPort?.intVal || port));
}
