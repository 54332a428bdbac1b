/**
 * Fields that the packaged Envoy protos lack although current Envoys and istiod use them, and the imports of these
 * fields. Generation inserts `line` behind the line `after` of the packaged file. It fails when `after` is no longer there.
 */
export interface ProtoAddition {
  readonly file: string;
  readonly after: string;
  readonly line: string;
}

export const additions: readonly ProtoAddition[] = [
  {
    file: "validate/validate.proto",
    after: "optional bool strict = 25 [default = true];",
    line: "optional bool ignore_empty = 26;",
  },
  {
    file: "envoy/config/cluster/v3/cluster.proto",
    after: "LoadBalancingPolicy load_balancing_policy = 41;",
    line: "google.protobuf.Duration dns_jitter = 58;",
  },
  {
    file: "envoy/config/cluster/v3/circuit_breaker.proto",
    after: 'import "google/protobuf/wrappers.proto";',
    line: 'import "google/protobuf/duration.proto";',
  },
  {
    file: "envoy/config/cluster/v3/circuit_breaker.proto",
    after: "google.protobuf.UInt32Value min_retry_concurrency = 2;",
    line: "google.protobuf.Duration budget_interval = 3;",
  },
  {
    file: "envoy/extensions/wasm/v3/wasm.proto",
    after: "option (udpa.annotations.file_status).package_version_status = ACTIVE;",
    line: "enum FailurePolicy { UNSPECIFIED = 0; FAIL_RELOAD = 1; FAIL_CLOSED = 2; FAIL_OPEN = 3; }",
  },
  {
    file: "envoy/extensions/wasm/v3/wasm.proto",
    after: "CapabilityRestrictionConfig capability_restriction_config = 6;",
    line: "FailurePolicy failure_policy = 7;",
  },
  {
    file: "envoy/type/tracing/v3/custom_tag.proto",
    after: "Metadata metadata = 5;",
    line: "string value = 6;",
  },
  {
    file: "envoy/config/trace/v3/zipkin.proto",
    after: 'import "google/protobuf/wrappers.proto";',
    line: 'import "envoy/config/core/v3/http_service.proto";',
  },
  {
    file: "envoy/config/trace/v3/zipkin.proto",
    after: "CollectorEndpointVersion collector_endpoint_version = 5;",
    line: "core.v3.HttpService collector_service = 9;",
  },
  {
    file: "envoy/config/trace/v3/zipkin.proto",
    after: "string collector_hostname = 6;",
    line: "TraceContextOption trace_context_option = 8;",
  },
  {
    file: "envoy/config/trace/v3/zipkin.proto",
    after: "bool trace_id_128bit = 3;",
    line: "enum TraceContextOption { USE_B3 = 0; USE_B3_WITH_W3C_PROPAGATION = 1; }",
  },
  {
    file: "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto",
    after: "google.protobuf.BoolValue spawn_upstream_span = 10;",
    line: "bool no_context_propagation = 13;",
  },
  {
    file: "envoy/extensions/upstreams/http/v3/http_protocol_options.proto",
    after: 'import "envoy/config/core/v3/extension.proto";',
    line: 'import "envoy/config/common/matcher/v3/matcher.proto";',
  },
  {
    file: "envoy/extensions/upstreams/http/v3/http_protocol_options.proto",
    after: "config.core.v3.TypedExtensionConfig header_validation_config = 7;",
    line: "message OutlierDetection { config.common.matcher.v3.MatchPredicate error_matcher = 1; } OutlierDetection outlier_detection = 8;",
  },
];
