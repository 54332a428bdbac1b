import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { isMapping } from "../../../../lib/is-mapping.ts";
import { meshConfig } from "../../../kinds/mesh-config.ts";
import { serviceEntry } from "../../../kinds/service-entry.ts";
import type { Analyzer } from "../../analyzer.ts";
import { meshSettings } from "../../facts/mesh-settings.ts";
import { messages } from "../../messages.ts";

export const protocolAddresses: Analyzer = {
  name: "serviceentry.ProtocolAddressesAnalyzer",
  description: "Service entries with TCP ports that would catch the connections of others",
  inputs: [serviceEntry, meshConfig],
  analyze(context) {
    if (allocatesAddresses(meshSettings(context))) return;
    for (const config of context.all(serviceEntry)) {
      const { addresses, ports } = config.spec;
      if (addresses.length > 0 || hasAllocated(config.status)) continue;
      for (const [index, { protocol, number }] of ports.entries()) {
        if (protocol !== "" && protocol.toUpperCase() !== "TCP") continue;
        const about = { config, path: `spec.ports[${index}]` };
        context.report(messages.addressesRequired, about, { port: number });
      }
    }
  },
};

/** With DNS capture, proxies allocate an address for each entry. */
function allocatesAddresses({ defaultConfig }: MeshConfig): boolean {
  const metadata = defaultConfig?.proxyMetadata ?? {};
  const allocates = ["ISTIO_META_DNS_AUTO_ALLOCATE", "PILOT_ENABLE_IP_AUTOALLOCATE"];
  return metadata["ISTIO_META_DNS_CAPTURE"] === "true" && allocates.some((name) => metadata[name] === "true");
}

/** The controller of the cluster may have allocated addresses and written them to the status. */
function hasAllocated(status: unknown): boolean {
  if (!isMapping(status)) return false;
  const { addresses } = status;
  return Array.isArray(addresses) && addresses.length > 0;
}
