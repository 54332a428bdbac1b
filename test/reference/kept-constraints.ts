/** The reason why a constraint of Envoy's protos is never broken. */
interface Keeper {
  readonly how: string;
  /** A file or folder of this repository. */
  readonly by: string;
}

const constant: Keeper = { how: "a constant", by: "src/pilot/networking" };
const whole: Keeper = { how: "the generator writes the message with all its parts", by: "src/pilot/networking" };

function validated(how: string, file: string): Keeper {
  return { how: `validation: ${how}`, by: `src/config/${file}` };
}

function generated(how: string, file: string): Keeper {
  return { how: `generator: ${how}`, by: `src/pilot/networking/${file}` };
}

const pool = validated("limits and durations of connection pools", "kinds/destination-rule/connection-pool.ts");
const outliers = validated("limits of outlier detection", "kinds/destination-rule/outlier-detection.ts");
const balancing = validated("sizes of rings and tables, cookies", "kinds/destination-rule/load-balancer.ts");
const names = generated("names are made from host, port and subset", "cluster/cluster-name.ts");
const headers = validated("names and values of headers", "rules/headers.ts");
const headerLists = validated("at most 500 headers of a rule, and 500 of its destination", "rules/headers.ts");
const weights = validated("weights are positive and their sum fits 32 bits", "rules/destination.ts");
const addresses = validated("addresses, ports and paths of endpoints", "kinds/service-entry/endpoints.ts");
const ports = validated("ports are 1 to 65535", "rules/port.ts");
const expressions = validated("regular expressions are not empty, and RE2 takes them", "rules/regex.ts");
const answers = validated("redirects and direct responses", "kinds/virtual-service/answers.ts");
const rewrites = validated("rewritten paths and authorities", "kinds/virtual-service/rewrite.ts");
const faults = validated("statuses, durations and shares of faults", "kinds/virtual-service/fault.ts");
const matches = validated("matches name a header or parameter", "kinds/virtual-service/http-match.ts");
const proxies = validated("settings of proxies", "kinds/mesh-config/default-proxy-config.ts");
const serverTls = validated("settings of TLS servers", "kinds/gateway/server-tls.ts");
const clientTls = validated("settings of TLS clients", "kinds/destination-rule/client-tls.ts");
const meshSettings = validated("settings of the mesh", "kinds/mesh-config.ts");

const rules = generated("rules of AuthorizationPolicies with all their parts", "authorization");
const ruleValues = validated("values of AuthorizationPolicies", "kinds/authorization-policy/values.ts");
const providers = validated("providers of external authorization", "kinds/mesh-config/ext-authz-provider.ts");
const tokens = validated("rules of tokens", "kinds/request-authentication.ts");
const requirements = generated("requirements have at least two parts", "authentication/jwt.ts");

const kept: Readonly<Record<string, Readonly<Record<string, Keeper>>>> = {
  "envoy.extensions.access_loggers.open_telemetry.v3": {
    "OpenTelemetryAccessLogConfig.common_config": whole,
  },
  "envoy.extensions.access_loggers.grpc.v3": {
    "TcpGrpcAccessLogConfig.common_config": whole,
    "HttpGrpcAccessLogConfig.common_config": whole,
    "CommonGrpcAccessLogConfig.log_name": whole,
    "CommonGrpcAccessLogConfig.grpc_service": whole,
    "CommonGrpcAccessLogConfig.transport_api_version": constant,
  },
  "envoy.extensions.path.match.uri_template.v3": {
    "UriTemplateMatchConfig.path_template": ruleValues,
  },
  "envoy.extensions.filters.network.rbac.v3": {
    "RBAC.stat_prefix": constant,
  },
  "envoy.extensions.filters.http.jwt_authn.v3": {
    "JwtProvider.jwks_source_specifier": whole,
    "JwtHeader.name": tokens,
    "JwtHeader.value_prefix": tokens,
    "JwtProvider.forward_payload_header": tokens,
    "JwtClaimToHeader.header_name": tokens,
    "JwtClaimToHeader.claim_name": tokens,
    "RequirementRule.match": constant,
    "JwtRequirementOrList.requirements": requirements,
    "JwtRequirementAndList.requirements": requirements,
  },
  "envoy.extensions.filters.http.ext_authz.v3": {
    "ExtAuthz.transport_api_version": constant,
    "BufferSettings.max_request_bytes": providers,
  },
  "envoy.config.trace.v3": {
    "Tracing.Http.name": constant,
  },
  "envoy.config.rbac.v3": {
    "RBAC.action": rules,
    "Policy.permissions": rules,
    "Permission.rule": rules,
    "Permission.Set.rules": rules,
    "Permission.any": rules,
    "Policy.principals": rules,
    "Principal.identifier": rules,
    "Principal.Set.ids": rules,
    "Principal.any": rules,
    "Permission.destination_port": ruleValues,
  },
  "envoy.config.accesslog.v3": {
    "AndFilter.filters": whole,
    "AccessLogFilter.filter_specifier": constant,
    "ResponseFlagFilter.flags": constant,
  },
  "envoy.config.cluster.v3": {
    "Cluster.CustomClusterType.name": constant,
    "Cluster.MaglevLbConfig.table_size": balancing,
    "Cluster.OriginalDstLbConfig.upstream_port_override": addresses,
    "Cluster.RingHashLbConfig.minimum_ring_size": balancing,
    "Cluster.TransportSocketMatch.name": constant,
    "Cluster.cleanup_interval": constant,
    "Cluster.connect_timeout": pool,
    "Cluster.dns_lookup_family": constant,
    "Cluster.dns_refresh_rate": meshSettings,
    "Cluster.lb_policy": constant,
    "Cluster.name": names,
    "Cluster.type": constant,
    "OutlierDetection.base_ejection_time": outliers,
    "OutlierDetection.enforcing_consecutive_5xx": constant,
    "OutlierDetection.enforcing_consecutive_gateway_failure": constant,
    "OutlierDetection.enforcing_consecutive_local_origin_failure": constant,
    "OutlierDetection.enforcing_local_origin_success_rate": constant,
    "OutlierDetection.enforcing_success_rate": constant,
    "OutlierDetection.interval": outliers,
    "OutlierDetection.max_ejection_percent": outliers,
  },
  "envoy.config.common.matcher.v3": {
    "MatchPredicate.MatchSet.rules": generated("one status is no set", "cluster/http-protocol-options.ts"),
    "MatchPredicate.rule": whole,
  },
  "envoy.config.core.v3": {
    "HttpUri.http_upstream_type": whole,
    "HttpUri.uri": whole,
    "HttpUri.cluster": names,
    "HttpUri.timeout": providers,
    "GrpcService.EnvoyGrpc.authority": names,
    "Address.address": whole,
    "ApiConfigSource.api_type": constant,
    "ApiConfigSource.transport_api_version": constant,
    "CidrRange.address_prefix": generated("subnets are read before they are written", "listener/cidr.ts"),
    "CidrRange.prefix_len": generated("subnets are read before they are written", "listener/cidr.ts"),
    "ConfigSource.config_source_specifier": constant,
    "ConfigSource.resource_api_version": constant,
    "DataSource.filename": validated("files have a path", "rules/file-path.ts"),
    "DataSource.specifier": whole,
    "GrpcService.EnvoyGrpc.cluster_name": constant,
    "GrpcService.target_specifier": constant,
    "HeaderValue.key": headers,
    "HeaderValue.value": headers,
    "HeaderValueOption.append_action": constant,
    "HeaderValueOption.header": whole,
    "Http1ProtocolOptions.HeaderKeyFormat.header_format": constant,
    "Http2ProtocolOptions.initial_connection_window_size": constant,
    "Http2ProtocolOptions.initial_stream_window_size": constant,
    "Http2ProtocolOptions.max_concurrent_streams": pool,
    "KeepaliveSettings.interval": pool,
    "KeepaliveSettings.timeout": pool,
    "Metadata.filter_metadata": constant,
    "Pipe.path": addresses,
    "RuntimeDouble.runtime_key": constant,
    "RuntimeFractionalPercent.default_value": whole,
    "SocketAddress.address": addresses,
    "SocketAddress.port_specifier": whole,
    "SocketAddress.port_value": ports,
    "SubstitutionFormatString.format": whole,
    "SubstitutionFormatString.json_format": whole,
    "TransportSocket.name": constant,
    "TypedExtensionConfig.name": constant,
    "TypedExtensionConfig.typed_config": whole,
  },
  "envoy.config.endpoint.v3": {
    "ClusterLoadAssignment.cluster_name": names,
    "ClusterLoadAssignment.Policy.overprovisioning_factor": constant,
    "LbEndpoint.load_balancing_weight": generated("a weight is at least 1", "endpoint/lb-endpoint.ts"),
    "LocalityLbEndpoints.load_balancing_weight": generated(
      "sums are at least 1 and fit 32 bits",
      "endpoint/endpoint-group.ts",
    ),
    "LocalityLbEndpoints.priority": validated("at most 12 labels", "kinds/destination-rule/locality.ts"),
  },
  "envoy.config.listener.v3": {
    "Filter.name": constant,
    "FilterChainMatch.destination_port": ports,
    "Listener.ConnectionBalanceConfig.balance_type": constant,
    "Listener.max_connections_to_accept_per_socket_event": constant,
    "ListenerFilter.name": constant,
    "ListenerFilterChainMatchPredicate.MatchSet.rules": generated(
      "a set has two rules",
      "listener/listener-filters.ts",
    ),
    "ListenerFilterChainMatchPredicate.rule": whole,
  },
  "envoy.config.route.v3": {
    "Decorator.operation": generated("the host is part of it", "route"),
    "DirectResponseAction.status": answers,
    "HeaderMatcher.name": matches,
    "QueryParameterMatcher.name": matches,
    "QueryParameterMatcher.string_match": whole,
    "RedirectAction.host_redirect": answers,
    "RedirectAction.path_redirect": answers,
    "RedirectAction.prefix_rewrite": answers,
    "RedirectAction.response_code": constant,
    "RetryPolicy.RetryBackOff.base_interval": validated("retries", "kinds/virtual-service/retry.ts"),
    "RetryPolicy.RetryBackOff.max_interval": validated("retries", "kinds/virtual-service/retry.ts"),
    "RetryPolicy.RetryHostPredicate.name": constant,
    "RetryPolicy.RetryPriority.name": constant,
    "Route.action": whole,
    "Route.match": whole,
    "Route.request_headers_to_add": headerLists,
    "Route.request_headers_to_remove": headers,
    "Route.response_headers_to_add": headerLists,
    "Route.response_headers_to_remove": headers,
    "RouteAction.HashPolicy.Cookie.name": balancing,
    "RouteAction.HashPolicy.CookieAttribute.name": balancing,
    "RouteAction.HashPolicy.CookieAttribute.value": balancing,
    "RouteAction.HashPolicy.Header.header_name": balancing,
    "RouteAction.HashPolicy.QueryParameter.name": balancing,
    "RouteAction.HashPolicy.policy_specifier": whole,
    "RouteAction.cluster": names,
    "RouteAction.cluster_specifier": whole,
    "RouteAction.host_rewrite_literal": rewrites,
    "RouteAction.prefix_rewrite": rewrites,
    "RouteMatch.path_separated_prefix": {
      how: "conversion: other prefixes of Ingresses stay texts",
      by: "src/pilot/registry/virtual-service/http/http-match.ts",
    },
    "RouteMatch.path_specifier": whole,
    "RouteMatch.safe_regex": whole,
    "VirtualHost.domains": generated("a virtual host without a domain is left out", "route/virtual-host.ts"),
    "VirtualHost.name": generated("made from a domain and a port", "route/virtual-host.ts"),
    "VirtualHost.request_headers_to_add": headerLists,
    "VirtualHost.require_tls": constant,
    "WeightedCluster.ClusterWeight.host_rewrite_literal": headers,
    "WeightedCluster.ClusterWeight.request_headers_to_add": headerLists,
    "WeightedCluster.ClusterWeight.request_headers_to_remove": headers,
    "WeightedCluster.ClusterWeight.response_headers_to_add": headerLists,
    "WeightedCluster.ClusterWeight.response_headers_to_remove": headers,
    "WeightedCluster.clusters": weights,
  },
  "envoy.extensions": {
    "access_loggers.file.v3.FileAccessLog.log_format": whole,
    "access_loggers.file.v3.FileAccessLog.path": generated("no log without a path", "listener/access-log.ts"),
    "common.dynamic_forward_proxy.v3.DnsCacheConfig.dns_lookup_family": constant,
    "common.dynamic_forward_proxy.v3.DnsCacheConfig.dns_refresh_rate": meshSettings,
    "common.dynamic_forward_proxy.v3.DnsCacheConfig.name": names,
    "filters.common.fault.v3.FaultDelay.fault_delay_secifier": whole,
    "filters.common.fault.v3.FaultDelay.fixed_delay": faults,
    "filters.http.fault.v3.FaultAbort.error_type": whole,
    "filters.http.fault.v3.FaultAbort.http_status": faults,
    "filters.listener.tls_inspector.v3.TlsInspector.initial_read_buffer_size": constant,
    "filters.network.ext_authz.v3.ExtAuthz.stat_prefix": constant,
    "filters.network.ext_authz.v3.ExtAuthz.transport_api_version": constant,
    "filters.network.http_connection_manager.v3.HttpConnectionManager.forward_client_cert_details": constant,
    "filters.network.http_connection_manager.v3.HttpConnectionManager.route_specifier": whole,
    "filters.network.http_connection_manager.v3.HttpConnectionManager.server_header_transformation": constant,
    "filters.network.http_connection_manager.v3.HttpConnectionManager.server_name": proxies,
    "filters.network.http_connection_manager.v3.HttpConnectionManager.stat_prefix": constant,
    "filters.network.http_connection_manager.v3.HttpFilter.name": constant,
    "filters.network.http_connection_manager.v3.Rds.config_source": constant,
    "filters.network.mongo_proxy.v3.MongoProxy.stat_prefix": names,
    "filters.network.tcp_proxy.v3.TcpProxy.TunnelingConfig.hostname": validated(
      "tunnels have a target",
      "kinds/destination-rule/traffic-policy.ts",
    ),
    "filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster.ClusterWeight.name": names,
    "filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster.ClusterWeight.weight": weights,
    "filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster.clusters": weights,
    "filters.network.tcp_proxy.v3.TcpProxy.cluster_specifier": whole,
    "filters.network.tcp_proxy.v3.TcpProxy.hash_policy": constant,
    "filters.network.tcp_proxy.v3.TcpProxy.max_downstream_connection_duration": pool,
    "filters.network.tcp_proxy.v3.TcpProxy.stat_prefix": names,
    "retry.priority.previous_priorities.v3.PreviousPrioritiesConfig.update_frequency": constant,
    "transport_sockets.proxy_protocol.v3.ProxyProtocolUpstreamTransport.transport_socket": whole,
    "transport_sockets.tls.v3.CertificateValidationContext.trust_chain_verification": constant,
    "transport_sockets.tls.v3.CertificateValidationContext.verify_certificate_hash": serverTls,
    "transport_sockets.tls.v3.CertificateValidationContext.verify_certificate_spki": serverTls,
    "transport_sockets.tls.v3.CommonTlsContext.CombinedCertificateValidationContext.default_validation_context": whole,
    "transport_sockets.tls.v3.CommonTlsContext.CombinedCertificateValidationContext.validation_context_sds_secret_config":
      whole,
    "transport_sockets.tls.v3.SdsSecretConfig.name": generated("a secret has a name", "secret"),
    "transport_sockets.tls.v3.SubjectAltNameMatcher.matcher": whole,
    "transport_sockets.tls.v3.SubjectAltNameMatcher.san_type": constant,
    "transport_sockets.tls.v3.TlsParameters.tls_maximum_protocol_version": constant,
    "transport_sockets.tls.v3.TlsParameters.tls_minimum_protocol_version": constant,
    "transport_sockets.tls.v3.UpstreamTlsContext.sni": clientTls,
    "upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig.protocol_config": whole,
    "upstreams.http.v3.HttpProtocolOptions.upstream_protocol_options": whole,
  },
  "envoy.type": {
    "matcher.v3.PathMatcher.rule": whole,
    "matcher.v3.PathMatcher.path": whole,
    "matcher.v3.ListStringMatcher.patterns": whole,
    "v3.HttpStatus.code": providers,
    "matcher.v3.ListMatcher.match_pattern": whole,
    "matcher.v3.MetadataMatcher.PathSegment.key": validated("claims have no empty parts", "rules/headers.ts"),
    "matcher.v3.MetadataMatcher.PathSegment.segment": whole,
    "matcher.v3.MetadataMatcher.filter": constant,
    "matcher.v3.MetadataMatcher.path": whole,
    "matcher.v3.MetadataMatcher.value": whole,
    "matcher.v3.OrMatcher.value_matchers": whole,
    "matcher.v3.RegexMatchAndSubstitute.pattern": whole,
    "matcher.v3.RegexMatchAndSubstitute.substitution": rewrites,
    "matcher.v3.RegexMatcher.regex": expressions,
    "matcher.v3.StringMatcher.contains": matches,
    "matcher.v3.StringMatcher.match_pattern": whole,
    "matcher.v3.StringMatcher.prefix": validated("prefixes are not empty", "rules/string-match.ts"),
    "matcher.v3.StringMatcher.safe_regex": whole,
    "matcher.v3.StringMatcher.suffix": validated("hosts are not empty", "rules/host.ts"),
    "matcher.v3.ValueMatcher.match_pattern": whole,
    "metadata.v3.MetadataKey.PathSegment.key": constant,
    "metadata.v3.MetadataKey.PathSegment.segment": constant,
    "metadata.v3.MetadataKey.key": constant,
    "metadata.v3.MetadataKey.path": constant,
    "metadata.v3.MetadataKind.kind": constant,
    "tracing.v3.CustomTag.Environment.name": proxies,
    "tracing.v3.CustomTag.Header.name": proxies,
    "tracing.v3.CustomTag.Literal.value": proxies,
    "tracing.v3.CustomTag.tag": proxies,
    "tracing.v3.CustomTag.type": proxies,
    "v3.FractionalPercent.denominator": constant,
    "v3.HashPolicy.policy_specifier": whole,
    "v3.Percent.value": validated("percentages are 0 to 100", "rules/amount.ts"),
  },
};

/** Every constrained field that we fill, and the keeper of its constraint. */
export const keptConstraints: ReadonlyMap<string, Keeper> = new Map(
  Object.entries(kept).flatMap(([scope, fields]) =>
    Object.entries(fields).map(([name, keeper]) => [`${scope}.${name}`, keeper] as const),
  ),
);
