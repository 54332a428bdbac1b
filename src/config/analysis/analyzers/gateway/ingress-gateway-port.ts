import { gateway } from "../../../kinds/gateway.ts";
import { service } from "../../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import type { LabelIndex } from "../../facts/label-index.ts";
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
    const ports = portsByWorkload(candidates, context);
    for (const config of context.all(gateway)) {
      const { selector, servers } = config.spec;
      const text = selectorText(selector);
      const selected = candidates.select(selector);
      if (selected.length === 0) {
        const about = { config, path: "spec.selector" };
        context.report(messages.referencedResourceNotFound, about, { what: "selector", reference: text });
        continue;
      }
      const exposed = new Set(selected.flatMap((workload) => ports.get(workload) ?? []));
      for (const [index, { port }] of servers.entries()) {
        if (port === undefined || exposed.has(port.number)) continue;
        const about = { config, path: `spec.servers[${index}].port.number` };
        context.report(messages.gatewayPortNotOnService, about, { selector: text, port: port.number });
      }
    }
  },
};

/**
 * Any service in front of a workload will do. A gateway may name the port that the proxy listens on, or the one of the
 * service, which is then translated.
 */
function portsByWorkload(candidates: LabelIndex<Workload>, context: AnalysisContext): Map<Workload, readonly number[]> {
  const ports = new Map<Workload, readonly number[]>();
  for (const { namespace, spec } of context.all(service)) {
    if (Object.keys(spec.selector).length === 0) continue;
    const tcp = spec.ports.filter(({ protocol }) => protocol === "" || protocol === "TCP");
    const reached = tcp.flatMap(({ port, targetPort }) => [port, targetPort?.intVal || port]);
    for (const workload of candidates.select(spec.selector, namespace)) {
      ports.set(workload, [...(ports.get(workload) ?? []), ...reached]);
    }
  }
  return ports;
}
