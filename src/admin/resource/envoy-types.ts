import { createRegistry } from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { TypedExtensionConfigSchema } from "#gen/envoy/config/core/v3/extension_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { DatadogConfigSchema } from "#gen/envoy/config/trace/v3/datadog_pb.js";
import { OpenTelemetryConfigSchema } from "#gen/envoy/config/trace/v3/opentelemetry_pb.js";
import { SkyWalkingConfigSchema } from "#gen/envoy/config/trace/v3/skywalking_pb.js";
import { ZipkinConfigSchema } from "#gen/envoy/config/trace/v3/zipkin_pb.js";
import { FileAccessLogSchema } from "#gen/envoy/extensions/access_loggers/file/v3/file_pb.js";
import { ExpressionFilterSchema } from "#gen/envoy/extensions/access_loggers/filters/cel/v3/cel_pb.js";
import {
  HttpGrpcAccessLogConfigSchema,
  TcpGrpcAccessLogConfigSchema,
} from "#gen/envoy/extensions/access_loggers/grpc/v3/als_pb.js";
import { OpenTelemetryAccessLogConfigSchema } from "#gen/envoy/extensions/access_loggers/open_telemetry/v3/logs_service_pb.js";
import { ClusterConfigSchema as ForwardProxySchema } from "#gen/envoy/extensions/clusters/dynamic_forward_proxy/v3/cluster_pb.js";
import { CorsPolicySchema, CorsSchema } from "#gen/envoy/extensions/filters/http/cors/v3/cors_pb.js";
import { ExtAuthzSchema } from "#gen/envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb.js";
import { HTTPFaultSchema } from "#gen/envoy/extensions/filters/http/fault/v3/fault_pb.js";
import { FilterConfigSchema as GrpcStatsSchema } from "#gen/envoy/extensions/filters/http/grpc_stats/v3/config_pb.js";
import { GrpcWebSchema } from "#gen/envoy/extensions/filters/http/grpc_web/v3/grpc_web_pb.js";
import { LuaSchema } from "#gen/envoy/extensions/filters/http/lua/v3/lua_pb.js";
import { RBACSchema } from "#gen/envoy/extensions/filters/http/rbac/v3/rbac_pb.js";
import { JwtAuthenticationSchema } from "#gen/envoy/extensions/filters/http/jwt_authn/v3/config_pb.js";
import { RouterSchema } from "#gen/envoy/extensions/filters/http/router/v3/router_pb.js";
import { WasmSchema as HttpWasmSchema } from "#gen/envoy/extensions/filters/http/wasm/v3/wasm_pb.js";
import { HttpInspectorSchema } from "#gen/envoy/extensions/filters/listener/http_inspector/v3/http_inspector_pb.js";
import { OriginalDstSchema } from "#gen/envoy/extensions/filters/listener/original_dst/v3/original_dst_pb.js";
import { OriginalSrcSchema } from "#gen/envoy/extensions/filters/listener/original_src/v3/original_src_pb.js";
import { ProxyProtocolSchema } from "#gen/envoy/extensions/filters/listener/proxy_protocol/v3/proxy_protocol_pb.js";
import { TlsInspectorSchema } from "#gen/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.js";
import { ExtAuthzSchema as NetworkExtAuthzSchema } from "#gen/envoy/extensions/filters/network/ext_authz/v3/ext_authz_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { MongoProxySchema } from "#gen/envoy/extensions/filters/network/mongo_proxy/v3/mongo_proxy_pb.js";
import { RBACSchema as NetworkRbacSchema } from "#gen/envoy/extensions/filters/network/rbac/v3/rbac_pb.js";
import { TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";
import { WasmSchema as NetworkWasmSchema } from "#gen/envoy/extensions/filters/network/wasm/v3/wasm_pb.js";
import { ReqWithoutQuerySchema } from "#gen/envoy/extensions/formatter/req_without_query/v3/req_without_query_pb.js";
import { PreserveCaseFormatterConfigSchema } from "#gen/envoy/extensions/http/header_formatters/preserve_case/v3/preserve_case_pb.js";
import { CaresDnsResolverConfigSchema } from "#gen/envoy/extensions/network/dns_resolver/cares/v3/cares_dns_resolver_pb.js";
import { UriTemplateMatchConfigSchema } from "#gen/envoy/extensions/path/match/uri_template/v3/uri_template_match_pb.js";
import { UuidRequestIdConfigSchema } from "#gen/envoy/extensions/request_id/uuid/v3/uuid_pb.js";
import { PreviousHostsPredicateSchema } from "#gen/envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb.js";
import { PreviousPrioritiesConfigSchema } from "#gen/envoy/extensions/retry/priority/previous_priorities/v3/previous_priorities_config_pb.js";
import { DynatraceResourceDetectorConfigSchema } from "#gen/envoy/extensions/tracers/opentelemetry/resource_detectors/v3/dynatrace_resource_detector_pb.js";
import { EnvironmentResourceDetectorConfigSchema } from "#gen/envoy/extensions/tracers/opentelemetry/resource_detectors/v3/environment_resource_detector_pb.js";
import { DynatraceSamplerConfigSchema } from "#gen/envoy/extensions/tracers/opentelemetry/samplers/v3/dynatrace_sampler_pb.js";
import { ProxyProtocolUpstreamTransportSchema } from "#gen/envoy/extensions/transport_sockets/proxy_protocol/v3/upstream_proxy_protocol_pb.js";
import { RawBufferSchema } from "#gen/envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer_pb.js";
import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import {
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { HttpProtocolOptionsSchema } from "#gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.js";
import { FilterConfigSchema as AlpnSchema } from "#gen/istio/envoy/config/filter/http/alpn/v2alpha1/config_pb.js";
import { PluginConfigSchema as StatsSchema } from "#gen/istio/envoy/extensions/stats/config_pb.js";
import { NameTableSchema } from "#gen/istio/networking/nds/v1/nds_pb.js";
import { TypedStructSchema } from "#gen/udpa/type/v1/typed_struct_pb.js";

/** The messages that are packed into an Any. They are needed to show a resource, or any part of it, as JSON. */
export const envoyTypes = createRegistry(
  ClusterSchema,
  ClusterLoadAssignmentSchema,
  ListenerSchema,
  RouteConfigurationSchema,
  VirtualHostSchema,
  SecretSchema,
  TypedExtensionConfigSchema,
  NameTableSchema,
  CorsSchema,
  JwtAuthenticationSchema,
  CorsPolicySchema,
  ExtAuthzSchema,
  HTTPFaultSchema,
  GrpcStatsSchema,
  GrpcWebSchema,
  RBACSchema,
  HttpWasmSchema,
  NetworkWasmSchema,
  LuaSchema,
  StringValueSchema,
  RouterSchema,
  NetworkExtAuthzSchema,
  NetworkRbacSchema,
  UriTemplateMatchConfigSchema,
  HttpConnectionManagerSchema,
  TcpProxySchema,
  MongoProxySchema,
  OriginalDstSchema,
  OriginalSrcSchema,
  ProxyProtocolSchema,
  TlsInspectorSchema,
  HttpInspectorSchema,
  FileAccessLogSchema,
  HttpGrpcAccessLogConfigSchema,
  TcpGrpcAccessLogConfigSchema,
  OpenTelemetryAccessLogConfigSchema,
  ExpressionFilterSchema,
  ZipkinConfigSchema,
  DatadogConfigSchema,
  SkyWalkingConfigSchema,
  OpenTelemetryConfigSchema,
  EnvironmentResourceDetectorConfigSchema,
  DynatraceResourceDetectorConfigSchema,
  DynatraceSamplerConfigSchema,
  StatsSchema,
  ReqWithoutQuerySchema,
  PreserveCaseFormatterConfigSchema,
  AlpnSchema,
  CaresDnsResolverConfigSchema,
  UuidRequestIdConfigSchema,
  PreviousHostsPredicateSchema,
  PreviousPrioritiesConfigSchema,
  HttpProtocolOptionsSchema,
  ForwardProxySchema,
  ProxyProtocolUpstreamTransportSchema,
  RawBufferSchema,
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
  TypedStructSchema,
);
