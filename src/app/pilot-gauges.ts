import type { Metrics } from "../admin/metrics.ts";
import { proxyVersion } from "../admin/pilot/proxy-version.ts";
import type { PilotState } from "../admin/state.ts";
import type { ProtoWriter } from "../lib/proto-writer.ts";
import type { Environment } from "../pilot/registry/environment.ts";
import type { DiscoveryServer } from "../pilot/xds/discovery-server.ts";
import { countBy } from "./count-by.ts";

export interface PilotGauged {
  readonly state: PilotState;
  readonly environment: Pick<Environment, "services" | "virtualServices">;
  readonly discovery: Pick<DiscoveryServer, "catalogue">;
  readonly writer: Pick<ProtoWriter, "encodings">;
}

/** What of Pilot is not counted as it happens but looked up when Prometheus asks. */
export function installPilotGauges(metrics: Metrics, gauged: PilotGauged): void {
  const { state, environment, discovery, writer } = gauged;
  metrics.observe({
    type: "gauge",
    name: "pilot_xds",
    help: "Connected proxies, by their version.",
    labels: ["version"],
    values: () =>
      countBy(state.connections(), ({ client }) => proxyVersion(client) || "unknown").map(([version, count]) => [
        { version },
        count,
      ]),
  });
  metrics.observe({
    type: "gauge",
    name: "pilot_services",
    help: "Services of the mesh.",
    values: () => [[{}, environment.services.size]],
  });
  metrics.observe({
    type: "gauge",
    name: "pilot_virt_services",
    help: "VirtualServices of the mesh.",
    values: () => [[{}, environment.virtualServices.size]],
  });
  metrics.observe({
    type: "gauge",
    name: "binnacle_parts",
    help: "Parts of answers that are kept, each shared by all proxies with equal inputs.",
    values: () => [[{}, discovery.catalogue.size]],
  });
  metrics.observe({
    type: "counter",
    name: "binnacle_encodings_total",
    help: "Messages that were encoded; independent of the number of proxies.",
    values: () => [[{}, writer.encodings]],
  });
}
