/** Metrics of rare events, which have no series on a busy server. Each with the test that makes the event happen. */
export const rareSeries: Readonly<Record<string, string>> = {
  binnacle_leader: "needs an API server: src/app/kube/elected.test.ts",
  binnacle_part_failures_total: "a bug in a part: test/e2e/failing-parts.test.ts",
  binnacle_quarantine_objects: "a proxy refuses an object again and again: test/scenarios/quarantine-pages.test.ts",
  binnacle_xds_repeated_responses_total: "needs an Envoy that warms clusters: src/app/xds/xds-observer.test.ts",
  galley_source_kube_dynamic_converter_failure_total: "needs an API server: src/app/gauges/kube-source-meter.test.ts",
  galley_source_kube_dynamic_converter_success_total: "needs an API server: src/app/gauges/kube-source-meter.test.ts",
  galley_validation_cert_key_update_errors: "a broken certificate: test/e2e/webhook-certificate.test.ts",
  galley_validation_config: "needs an API server: test/e2e/kube-webhook.test.ts",
  galley_validation_http_error: "a client that is no API server: test/e2e/webhook-server.test.ts",
  istio_mcp_reconnections: "needs a process that dials: src/app/wiring-mcp.test.ts",
  istio_mcp_recv_failures_total: "a broken connection: src/app/mcp/observers.test.ts",
  istio_mcp_send_failures_total: "a broken connection: src/app/mcp/watched-stream.test.ts",
};
