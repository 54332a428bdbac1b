import type { Metrics } from "../../admin/metrics/metrics.ts";
import { proxyVersion } from "../../admin/pilot/proxy-version.ts";
import type { PilotState } from "../../admin/state.ts";
import type { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import type { Resolution } from "../../pilot/model/service/service.ts";
import type { Environment } from "../../pilot/registry/environment.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import { rejectionsAmong } from "../../pilot/xds/status/rejections.ts";
import { secretStatusesOf } from "../../pilot/xds/status/secret-status.ts";
import { countBy } from "./count-by.ts";
import { installQuarantineGauge } from "./quarantine-gauge.ts";

export interface PilotGauged {
  readonly state: PilotState;
  readonly environment: Pick<Environment, "services" | "endpoints" | "virtualServices">;
  readonly discovery: Pick<DiscoveryServer, "catalogues">;
  readonly writer: Pick<ProtoWriter, "encodings">;
  readonly version: string;
}

/** Installs the gauges of Pilot that are computed at each scrape. */
export function installPilotGauges(metrics: Metrics, gauged: PilotGauged): void {
  const { state, environment, discovery, writer, version } = gauged;
  metrics.observe({
    type: "gauge",
    name: "pilot_xds",
    help: "Connected proxies, by their version.",
    labels: ["version"],
    values: () => versionCounts(state).map(([version, count]) => [{ version }, count]),
  });
  metrics.gauge("pilot_services", "Services of the mesh.", () => environment.services.size);
  metrics.gauge("pilot_virt_services", "VirtualServices of the mesh.", () => environment.virtualServices.size);
  metrics.gauge("pilot_eds_no_instances", "Services with static resolution and without endpoints.", () =>
    withoutEndpoints(environment, (resolution) => resolution === "static"),
  );
  metrics.gauge("pilot_dns_cluster_without_endpoints", "Services with DNS resolution and without endpoints.", () =>
    withoutEndpoints(environment, (resolution) => resolution.startsWith("dns")),
  );
  metrics.observe({
    type: "gauge",
    name: "pilot_info",
    help: "1, labelled with the version of the server.",
    labels: ["version"],
    values: () => [[{ version }, 1]],
  });
  metrics.gauge("istiod_uptime_seconds", "Uptime of the process.", () => process.uptime());
  metrics.observe({
    type: "gauge",
    name: "binnacle_rejected_resources",
    help: "Number of proxies that currently reject a resource. At most 100 resources are listed.",
    labels: ["type", "resource", "object", "reference"],
    values: () => rejectedValues(state),
  });
  installQuarantineGauge(metrics, { quarantine: () => state.quarantine() });
  metrics.observe({
    type: "gauge",
    name: "pilot_sds_secrets",
    help: "Secrets that connected proxies ask for, by state: served, missing or refused, and by the reason of refusals.",
    labels: ["state", "reason"],
    values: () => secretValues(state),
  });
  metrics.gauge("binnacle_parts", "Parts of responses in memory. Proxies with equal inputs share a part.", () =>
    discovery.catalogues.reduce((sum, { size }) => sum + size, 0),
  );
  metrics.observe({
    type: "counter",
    name: "binnacle_encodings_total",
    help: "Encoded messages. The number does not depend on the number of proxies.",
    values: () => [[{}, writer.encodings]],
  });
}

function secretValues({ connections, published }: PilotState) {
  const push = published();
  const statuses = [...connections()].flatMap((connection) => secretStatusesOf(connection, push));
  const counts = countBy(statuses, (status) => `${status.state}/${status.state === "refused" ? status.reason : ""}`);
  return counts.map(([key, count]) => {
    const [state = "", reason = ""] = key.split("/");
    return [{ state, reason }, count] as const;
  });
}

/** Proxies can report any version, so rare versions are counted together. */
const mostVersions = 20;

function versionCounts({ connections }: PilotState): readonly (readonly [version: string, count: number])[] {
  const counts = countBy(connections(), ({ client }) => proxyVersion(client) || "unknown").toSorted(
    ([, a], [, b]) => b - a,
  );
  const [many, few] = [counts.slice(0, mostVersions), counts.slice(mostVersions)];
  return few.length === 0 ? many : [...many, ["other", few.reduce((sum, [, count]) => sum + count, 0)]];
}

function withoutEndpoints(
  { services, endpoints }: PilotGauged["environment"],
  isMeant: (resolution: Resolution) => boolean,
): number {
  const empty = (key: string) => (endpoints.get(key)?.endpoints.length ?? 0) === 0;
  return [...services.entries()].filter(([key, { resolution }]) => isMeant(resolution) && empty(key)).length;
}

/** Prometheus keeps every combination of labels. A mesh with many rejections must not flood it. */
const mostRejections = 100;

function rejectedValues({ connections, originOf }: PilotState) {
  return rejectionsAmong(connections())
    .slice(0, mostRejections)
    .map(({ type, resources, objects, proxies }) => {
      const [resource = "", ...more] = resources;
      const [object] = objects;
      const reference = object === undefined ? "" : (originOf(object)?.reference ?? "");
      const labels = { type: type.toLowerCase(), resource: more.length === 0 ? resource : `${resource} or others` };
      return [{ ...labels, object: object ?? "", reference }, proxies.length] as const;
    });
}
