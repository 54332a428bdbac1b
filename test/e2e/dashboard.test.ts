import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { clusterType, listenerType } from "../../src/xds/type-urls.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { get } from "./support/http.ts";
import { goodGateway, reviewOf, WebhookClient } from "./support/kube/webhook-client.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { TestAuthority } from "./support/tls/certificates.ts";
import { SotwClient } from "./support/xds/ads-client.ts";
import { objectYaml } from "./support/yaml.ts";

/**
 * Every series that Istio's Pilot dashboard queries from the control plane, with the labels in its groupings. Queries
 * to others are left out: the Go runtime, containers, Envoys, and sidecar injection.
 */
const queried: readonly (readonly [name: string, ...labels: readonly string[]])[] = [
  ["istio_build", "component", "tag"],
  ["pilot_xds_pushes", "type"],
  ["pilot_k8s_reg_events", "type", "event"],
  ["pilot_k8s_cfg_events", "type", "event"],
  ["pilot_push_triggers", "type"],
  ["pilot_xds"],
  ["pilot_total_xds_rejects", "type"],
  ["pilot_total_xds_internal_errors"],
  ["pilot_xds_push_time_bucket", "le"],
  ["pilot_xds_config_size_bytes_bucket", "le"],
  ["galley_validation_passed"],
  ["galley_validation_failed"],
  // From older dashboards, and from alerts that people keep.
  ["pilot_proxy_convergence_time_bucket", "le"],
  ["pilot_proxy_queue_time_bucket", "le"],
  ["pilot_xds_send_time_bucket", "le"],
  ["pilot_debounce_time_bucket", "le"],
  ["pilot_pushcontext_init_seconds_bucket", "le"],
  ["pilot_inbound_updates", "type"],
  ["pilot_services"],
  ["pilot_virt_services"],
  ["pilot_conflict_inbound_listener"],
  ["pilot_conflict_outbound_listener_tcp_over_current_tcp"],
  ["pilot_eds_no_instances"],
  ["pilot_vservice_dup_domain"],
  ["pilot_destrule_subsets"],
  ["pilot_info", "version"],
  ["istiod_uptime_seconds"],
];

function entryYaml(name: string): string {
  return objectYaml("ServiceEntry", name, {
    hosts: [`${name}.example`],
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: [{ address: "127.0.0.1" }],
  });
}

/** True if a line of the metrics is this series with all these labels. */
function isThere(metrics: string, [name, ...labels]: (typeof queried)[number]): boolean {
  return metrics
    .split("\n")
    .some(
      (line) =>
        (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
        labels.every((label) => line.includes(`${label}="`)),
    );
}

describe("the metrics", () => {
  test("have a series for every query of Istio's Pilot dashboard, once every event has happened", async () => {
    using authority = await TestAuthority.create();
    const files = await authority.issueHost("localhost");
    using mesh = new MeshDir({ "a.yaml": entryYaml("a") });
    const webhook = [
      "--webhook",
      "127.0.0.1:0",
      "--webhook-cert",
      files.certificateChain,
      "--webhook-key",
      files.privateKey,
    ];
    await using binnacle = await startBinnacle({ dir: mesh.path, args: webhook });
    using client = new SotwClient(binnacle.xdsPort, gatewayNode);
    for (const type of [clusterType, listenerType]) {
      client.subscribe(type);
      const response = await client.next(type);
      if (type === clusterType) client.ack(response);
      else client.nack(response, "no");
    }
    mesh.write("b.yaml", entryYaml("b"));
    await client.next(clusterType);
    const { body: addresses } = await get(binnacle.httpPort, "/debug/addresses");
    const { webhook: address } = JSON.parse(addresses) as { readonly webhook: string };
    using kube = new WebhookClient(address.replace("127.0.0.1", "localhost"), files);
    await kube.post(reviewOf(goodGateway()));
    await kube.post(reviewOf({ ...goodGateway(), spec: { servers: 1 } }));

    const absent = await eventually(
      "every series is there",
      async () => {
        const { body } = await get(binnacle.metricsPort, "/metrics");
        const missing = queried.filter((series) => !isThere(body, series));
        return missing.length === 0 ? missing : undefined;
      },
      { seconds: 10 },
    );
    expect(absent).toEqual([]);
    const { body } = await get(binnacle.metricsPort, "/metrics");
    expect(body).toContain(`pilot_xds_config_size_bytes_count{type="${clusterType}"}`);
    expect(body).toMatch(/^pilot_k8s_cfg_events\{type="ServiceEntry",event="add"\} 2$/m);
    expect(body).toMatch(/^pilot_xds_push_time_bucket\{le="0\.01",type="cds"\} /m);
  });
});
