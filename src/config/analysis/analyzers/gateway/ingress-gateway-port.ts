import type { ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import { oncePer } from "../../../../lib/memo.ts";
import { gateway } from "../../../kinds/gateway.ts";
import { service } from "../../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import type { LabelIndex } from "../../facts/label-index.ts";
import { selectorText } from "../../facts/label-selectors.ts";
import { type SelectableWorkload, workloadKinds, workloads } from "../../facts/selectable-workloads.ts";
import { messages } from "../../messages.ts";

export const ingressGatewayPortAnalyzer: Analyzer = {
  name: "gateway.IngressGatewayPortAnalyzer",
  description: "Gateways whose workloads are missing, or whose ports no service exposes",
  inputs: [gateway, service, ...workloadKinds],
  needs: [service, ...workloadKinds],
  analyze(context) {
    const candidates = workloads(context);
    const ports = portsByWorkload(candidates, context);
    const exposedBy = oncePer((selected: readonly SelectableWorkload[]) => {
      const sets = new Set(selected.flatMap((workload) => ports.get(workload) ?? []));
      return new Set([...sets].flatMap((set) => [...set]));
    });
    for (const config of context.all(gateway)) {
      const { selector, servers } = config.spec;
      const text = selectorText(selector);
      const selected = candidates.select(selector);
      if (selected.length === 0) {
        const about = { config, path: "spec.selector" };
        context.report(messages.referencedResourceNotFound, about, { what: "selector", reference: text });
        continue;
      }
      const exposed = exposedBy(selected);
      for (const [index, { port }] of servers.entries()) {
        if (port === undefined || exposed.has(port.number)) continue;
        const about = { config, path: `spec.servers[${index}].port.number` };
        context.report(messages.gatewayPortNotOnService, about, { selector: text, port: port.number });
      }
    }
  },
};

/**
 * Any service in front of a workload counts. A gateway may name the port of the proxy, or the port of the service,
 * which is then translated.
 */
function portsByWorkload(
  candidates: LabelIndex<SelectableWorkload>,
  context: AnalysisContext,
): ReadonlyMap<SelectableWorkload, readonly ReadonlySet<number>[]> {
  const selective = context.all(service).filter(({ spec }) => Object.keys(spec.selector).length > 0);
  const byWorkload = new Map<SelectableWorkload, ReadonlySet<number>[]>();
  const bySelected = Map.groupBy(selective, ({ namespace, spec }) => candidates.select(spec.selector, namespace));
  for (const [selected, services] of bySelected) {
    const ports = new Set(services.flatMap(({ spec }) => portsOf(spec)));
    for (const workload of selected) {
      const known = byWorkload.get(workload);
      if (known === undefined) byWorkload.set(workload, [ports]);
      else known.push(ports);
    }
  }
  return byWorkload;
}

function portsOf({ ports }: ServiceSpec): readonly number[] {
  const tcp = ports.filter(({ protocol }) => protocol === "" || protocol === "TCP");
  return tcp.flatMap(({ port, targetPort }) => [port, targetPort?.intVal || port]);
}
