import { grpcCluster, httpCluster, type SocketAddress } from "./bootstrap-cluster.ts";
import type { BootstrapSettings } from "./envoy-bootstrap.ts";
import {
  addressIn,
  type ProxyConfigJson,
  type RemoteService,
  type StatsMatcherJson,
  type TlsJson,
} from "./proxy-config.ts";
import { tracerSocket } from "./tls-socket.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** @param serviceName the name of the Envoy in traces */
export function bootstrapSettings(config: ProxyConfigJson, serviceName: string, env: Env): BootstrapSettings {
  const tracing = tracingOf(config, serviceName, env);
  const services = [
    grpcService("envoy_metrics_service", "envoyMetricsService", config.envoyMetricsService, env),
    grpcService("envoy_accesslog_service", "envoyAccessLogService", config.envoyAccessLogService, env),
  ];
  const sinks = sinksOf(config, env);
  const { connectionSettings = {}, runtimeValues = {} } = config;
  const { globalDownstreamConnectionLimit: limit = 0 } = connectionSettings;
  return {
    clusters: [...(tracing === undefined ? [] : [tracing.cluster]), ...services.flat()],
    runtime: runtimeValues,
    fields: {
      ...(tracing && { tracing: { http: tracing.provider } }),
      ...(sinks.length > 0 && { stats_sinks: sinks }),
      ...statsConfig(config),
      ...(limit > 0 && { overload_manager: { resource_monitors: [connectionLimit(limit)] } }),
    },
  };
}

function tracingOf(config: ProxyConfigJson, serviceName: string, env: Env) {
  const { tracing } = config;
  const zipkin = tracing?.zipkin?.address;
  const datadog = tracing?.datadog?.address;
  if (datadog !== undefined) {
    const address = addressIn("tracing.datadog.address", datadog, env);
    const name = "datadog_agent";
    const provider = typed("envoy.tracers.datadog", "envoy.config.trace.v3.DatadogConfig", {
      collector_cluster: name,
      service_name: serviceName,
    });
    return { cluster: secured(httpCluster(name, address), address, tracing?.tlsSettings), provider };
  }
  if (zipkin === undefined) return undefined;
  const address = addressIn("tracing.zipkin.address", zipkin, env);
  const name = "zipkin";
  const provider = typed("envoy.tracers.zipkin", "envoy.config.trace.v3.ZipkinConfig", {
    collector_cluster: name,
    collector_endpoint: "/api/v2/spans",
    collector_endpoint_version: "HTTP_JSON",
    trace_id_128bit: true,
    shared_span_context: false,
  });
  return { cluster: secured(httpCluster(name, address), address, tracing?.tlsSettings), provider };
}

function grpcService(name: string, field: string, service: RemoteService | undefined, env: Env): readonly object[] {
  if (service?.address === undefined) return [];
  const address = addressIn(`${field}.address`, service.address, env);
  return [{ ...secured(grpcCluster(name, address), address, service.tlsSettings), ...keepaliveOf(service) }];
}

function keepaliveOf({ tcpKeepalive }: RemoteService) {
  if (tcpKeepalive === undefined) return {};
  const { probes, time, interval } = tcpKeepalive;
  const tcp_keepalive = {
    ...(probes !== undefined && { keepalive_probes: probes }),
    ...(time !== undefined && { keepalive_time: Math.round(Number.parseFloat(time)) }),
    ...(interval !== undefined && { keepalive_interval: Math.round(Number.parseFloat(interval)) }),
  };
  return { upstream_connection_options: { tcp_keepalive } };
}

function secured(cluster: object, { host }: SocketAddress, tls: TlsJson | undefined): object {
  const socket = tls && tracerSocket(host, tls);
  return socket === undefined ? cluster : { ...cluster, transport_socket: socket };
}

function sinksOf(config: ProxyConfigJson, env: Env): readonly object[] {
  const { statsdUdpAddress } = config;
  const statsd =
    statsdUdpAddress === undefined ? [] : [statsdSink(addressIn("statsdUdpAddress", statsdUdpAddress, env))];
  if (config.envoyMetricsService?.address === undefined) return statsd;
  const sink = typed("envoy.stat_sinks.metrics_service", "envoy.config.metrics.v3.MetricsServiceConfig", {
    transport_api_version: "V3",
    grpc_service: { envoy_grpc: { cluster_name: "envoy_metrics_service" } },
  });
  return [...statsd, sink];
}

function statsdSink({ host, port }: SocketAddress) {
  const address = { socket_address: { protocol: "UDP", address: host, port_value: port } };
  return typed("envoy.stat_sinks.statsd", "envoy.config.metrics.v3.StatsdSink", { address });
}

function statsConfig({ extraStatTags = [], proxyStatsMatcher: matcher }: ProxyConfigJson): object {
  const patterns = matcher === undefined ? [] : statsPatterns(matcher);
  const fields = {
    ...(extraStatTags.length > 0 && { stats_tags: extraStatTags.map(statTag) }),
    ...(patterns.length > 0 && {
      stats_matcher: { inclusion_list: { patterns: [...alwaysKept.map((prefix) => ({ prefix })), ...patterns] } },
    }),
  };
  return Object.keys(fields).length === 0 ? {} : { stats_config: fields };
}

/** Statistics that show whether an Envoy is ready. */
const alwaysKept = ["cluster_manager", "listener_manager", "server", "cluster.xds-grpc"];

function statsPatterns(matcher: StatsMatcherJson): readonly object[] {
  const { inclusionPrefixes = [], inclusionSuffixes = [], inclusionRegexps = [] } = matcher;
  return [
    ...inclusionPrefixes.map((prefix) => ({ prefix })),
    ...inclusionSuffixes.map((suffix) => ({ suffix })),
    ...inclusionRegexps.map((regex) => ({ safe_regex: { regex } })),
  ];
}

/** Istio's metrics have their tags in their names. */
function statTag(tag: string) {
  return { tag_name: tag, regex: `(${tag}\\.=\\.(.*?);\\.)` };
}

function connectionLimit(limit: number) {
  return typed(
    "envoy.resource_monitors.global_downstream_max_connections",
    "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
    { max_active_downstream_connections: limit },
  );
}

function typed(name: string, type: string, config: object) {
  return { name, typed_config: { "@type": `type.googleapis.com/${type}`, ...config } };
}
