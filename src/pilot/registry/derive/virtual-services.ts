import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import { ingressGateway, isIngressGateway } from "../../../config/mesh/ingress-gateway.ts";
import { type MeshSettings, settingsIn } from "../../model/mesh-settings.ts";
import { matchesClientLabels, type VirtualService } from "../../model/traffic/virtual-service.ts";
import type { EnvironmentSettings, Inputs } from "../inputs.ts";
import { isDelegate, virtualServiceOf } from "../virtual-service/virtual-service.ts";

/** Virtual services, and the gateways that they are bound to. */
export function deriveVirtualServices(
  graph: Graph,
  inputs: Inputs,
  mesh: Collection<MeshSettings>,
  settings: EnvironmentSettings,
) {
  const ingressGateways = graph.group({
    name: "ingress gateways",
    from: inputs.gateways,
    keys: (config) => (isIngressGateway(config) ? [ingressGateway] : []),
  });
  const virtualServices = graph.derive({
    name: "virtual services",
    from: inputs.virtualServices,
    reads: { mesh, ingressGateways, all: inputs.virtualServices },
    key: (virtualService: VirtualService) => configKey(virtualService),
    to: (config, reads) => {
      // A delegate is part of the virtual services that delegate to it. Its changes are their changes.
      if (isDelegate(config)) return [];
      const context = {
        mesh: settingsIn(reads.mesh),
        domain: settings.domain,
        ingressGateways: () => (reads.ingressGateways.get(ingressGateway) ?? []).map(configKey),
        virtualService: (key: string) => reads.all.get(key),
      };
      return [virtualServiceOf(config, context)];
    },
  });
  const virtualServicesByGateway = graph.group({
    name: "virtual services by gateway",
    from: virtualServices,
    keys: ({ gateways }) => gateways,
  });
  const labelledVirtualServices = graph.group({
    name: "labelled virtual services",
    from: virtualServices,
    keys: (each) => (matchesClientLabels(each) ? each.gateways : []),
  });
  return { virtualServices, virtualServicesByGateway, labelledVirtualServices };
}
