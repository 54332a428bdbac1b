import type { Metrics } from "../admin/metrics.ts";
import type { AdminState } from "../admin/state.ts";
import type { ProtoWriter } from "../lib/proto-writer.ts";
import type { Environment } from "../pilot/registry/environment.ts";
import type { DiscoveryServer } from "../pilot/xds/discovery-server.ts";

export interface Gauged {
  readonly state: AdminState;
  readonly environment: Environment;
  readonly discovery: DiscoveryServer;
  readonly writer: ProtoWriter;
}

/** What is not counted as it happens but looked up when Prometheus asks. */
export function installGauges({ observe }: Metrics, { state, environment, discovery, writer }: Gauged): void {
  observe("pilot_xds", "Connected proxies, by their version.", "version", () =>
    countBy(state.connections(), ({ proxy }) => String(proxy.metadata["ISTIO_VERSION"] ?? "unknown")),
  );
  observe("pilot_services", "Services of the mesh.", "", () => [["", environment.services.size]]);
  observe("pilot_virt_services", "VirtualServices of the mesh.", "", () => [["", environment.virtualServices.size]]);
  observe("binnacle_config_issues", "What is wrong with the configuration now, by severity.", "severity", () =>
    countBy(
      [...state.issues()].flatMap(({ issues }) => issues),
      ({ severity }) => severity,
      ["error", "warning"],
    ),
  );
  observe("binnacle_configs", "Objects that were accepted, by collection.", "collection", () =>
    state.configs.entries().map(([name, { size }]) => [name, size] as const),
  );
  observe("binnacle_parts", "Parts of answers that are kept, each shared by all proxies with equal inputs.", "", () => [
    ["", discovery.catalogue.size],
  ]);
  observe("binnacle_encodings_total", "Messages that were encoded; independent of the number of proxies.", "", () => [
    ["", writer.encodings],
  ]);
}

/** `always` are counted even when there are none, so that a graph shows zero and not a gap. */
function countBy<T>(values: Iterable<T>, keyOf: (value: T) => string, always: readonly string[] = []) {
  const counts = new Map(always.map((key) => [key, 0]));
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
  return counts;
}
