import fc from "fast-check";
import type { WrittenObject } from "./written-objects.ts";

const manager = "envoy.filters.network.http_connection_manager";
const lua = {
  name: "lua",
  typed_config: {
    "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
    default_source_code: { inline_string: "function envoy_on_response(h) end" },
  },
};
const context = fc.constantFrom("ANY", "SIDECAR_INBOUND", "SIDECAR_OUTBOUND", "GATEWAY");
const service = fc.constantFrom("one.a.svc.cluster.local", "two.a.svc.cluster.local");
const timeout = fc.constantFrom("1s", "2s", "3s");

const clusterPatch = fc.record({ context, service, timeout, all: fc.boolean() }).map((each) => ({
  applyTo: "CLUSTER",
  match: { context: each.context, ...(!each.all && { cluster: { service: each.service } }) },
  patch: { operation: "MERGE", value: { connect_timeout: each.timeout } },
}));
const removedCluster = fc.record({ context, service }).map((each) => ({
  applyTo: "CLUSTER",
  match: { context: each.context, cluster: { service: each.service, portNumber: 80 } },
  patch: { operation: "REMOVE" },
}));
/** The second name is that of a generated cluster, which comes and goes. */
const addedCluster = fc
  .record({ context, timeout, name: fc.constantFrom("limiter", "outbound|80||one.a.svc.cluster.local") })
  .map(({ context: where, timeout: connect_timeout, name }) => ({
    applyTo: "CLUSTER",
    match: { context: where },
    patch: {
      operation: "ADD",
      value: { name, type: "STATIC", connect_timeout, load_assignment: { cluster_name: name } },
    },
  }));
const httpFilter = fc
  .record({ context, operation: fc.constantFrom("INSERT_FIRST", "INSERT_BEFORE", "ADD"), port: fc.constantFrom(0, 80) })
  .map((each) => ({
    applyTo: "HTTP_FILTER",
    match: {
      context: each.context,
      listener: {
        portNumber: each.port,
        filterChain: { filter: { name: manager, subFilter: { name: "envoy.filters.http.router" } } },
      },
    },
    patch: { operation: each.operation, value: lua },
  }));
const listenerPatch = fc.record({ context, size: fc.constantFrom(64, 128) }).map((each) => ({
  applyTo: "LISTENER",
  match: { context: each.context },
  patch: { operation: "MERGE", value: { tcp_backlog_size: each.size } },
}));
const routePatch = fc
  .record({
    context,
    applyTo: fc.constantFrom("HTTP_ROUTE", "VIRTUAL_HOST"),
    name: fc.constantFrom("", "80", "http.8080"),
  })
  .map(({ context: where, applyTo, name }) => ({
    applyTo,
    match: { context: where, routeConfiguration: { name } },
    patch: {
      operation: "MERGE",
      value:
        applyTo === "HTTP_ROUTE" ? { request_headers_to_remove: ["x-a"] } : { include_request_attempt_count: true },
    },
  }));

const patch = fc.oneof(
  clusterPatch,
  clusterPatch,
  removedCluster,
  addedCluster,
  httpFilter,
  httpFilter,
  listenerPatch,
  routePatch,
);

/** Filters of few names, so that each comes, changes and goes. Some select workloads or versions of proxies. */
export const envoyFilter: fc.Arbitrary<WrittenObject> = fc
  .record({
    namespace: fc.constantFrom("a", "a", "b", "istio-system"),
    name: fc.constantFrom("one", "two"),
    priority: fc.constantFrom(0, 0, -1, 1),
    selecting: fc.boolean(),
    version: fc.constantFrom("", "", "^1\\.29.*"),
    patches: fc.array(patch, { minLength: 1, maxLength: 3 }),
  })
  .map(({ namespace, name, priority, selecting, version, patches }) => ({
    apiVersion: "networking.istio.io/v1alpha3",
    kind: "EnvoyFilter",
    metadata: { namespace, name },
    spec: {
      priority,
      ...(selecting && { workloadSelector: { labels: { app: "x" } } }),
      configPatches: patches.map((each) =>
        version === "" ? each : { ...each, match: { ...each.match, proxy: { proxyVersion: version } } },
      ),
    },
  }));
