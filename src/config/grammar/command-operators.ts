/**
 * The command operators that Envoy replaces in access logs and headers, such as `%REQ(:path):10%`. For an unknown
 * operator, Envoy rejects the listener or the routes.
 */
const plain =
  "ACCESS_LOG_TYPE BYTES_RECEIVED BYTES_RETRANSMITTED BYTES_SENT CONNECTION_ID CONNECTION_TERMINATION_DETAILS CUSTOM_FLAGS DOWNSTREAM_DETECTED_CLOSE_TYPE DOWNSTREAM_DIRECT_LOCAL_ADDRESS DOWNSTREAM_DIRECT_REMOTE_ADDRESS DOWNSTREAM_HANDSHAKE_DURATION DOWNSTREAM_HEADER_BYTES_RECEIVED DOWNSTREAM_HEADER_BYTES_SENT DOWNSTREAM_LOCAL_ADDRESS DOWNSTREAM_LOCAL_CLOSE_REASON DOWNSTREAM_LOCAL_DNS_SAN DOWNSTREAM_LOCAL_EMAIL_SAN DOWNSTREAM_LOCAL_IP_SAN DOWNSTREAM_LOCAL_OTHERNAME_SAN DOWNSTREAM_LOCAL_PORT DOWNSTREAM_LOCAL_SUBJECT DOWNSTREAM_LOCAL_URI_SAN DOWNSTREAM_PEER_CERT DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_1 DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_256 DOWNSTREAM_PEER_CHAIN_SERIALS DOWNSTREAM_PEER_DNS_SAN DOWNSTREAM_PEER_EMAIL_SAN DOWNSTREAM_PEER_FINGERPRINT_1 DOWNSTREAM_PEER_FINGERPRINT_256 DOWNSTREAM_PEER_IP_SAN DOWNSTREAM_PEER_ISSUER DOWNSTREAM_PEER_OTHERNAME_SAN DOWNSTREAM_PEER_SERIAL DOWNSTREAM_PEER_SUBJECT DOWNSTREAM_PEER_URI_SAN DOWNSTREAM_REMOTE_ADDRESS DOWNSTREAM_REMOTE_PORT DOWNSTREAM_TLS_CIPHER DOWNSTREAM_TLS_SESSION_ID DOWNSTREAM_TLS_VERSION DOWNSTREAM_TRANSPORT_FAILURE_REASON DOWNSTREAM_WIRE_BYTES_RECEIVED DOWNSTREAM_WIRE_BYTES_SENT DURATION FILTER_CHAIN_NAME GRPC_STATUS_NUMBER HOSTNAME LOCAL_REPLY_BODY PROTOCOL REQUEST_DURATION REQUEST_HEADERS_BYTES REQUEST_TX_DURATION RESPONSE_CODE RESPONSE_DURATION RESPONSE_FLAGS RESPONSE_FLAGS_LONG RESPONSE_HEADERS_BYTES RESPONSE_TRAILERS_BYTES RESPONSE_TX_DURATION ROUNDTRIP_DURATION ROUTE_NAME STREAM_ID TLS_JA3_FINGERPRINT TRACE_ID UNIQUE_ID UPSTREAM_CLUSTER UPSTREAM_CLUSTER_RAW UPSTREAM_CONNECTION_ID UPSTREAM_HEADER_BYTES_RECEIVED UPSTREAM_HEADER_BYTES_SENT UPSTREAM_HOST UPSTREAM_HOST_NAME UPSTREAM_HOST_NAME_WITHOUT_PORT UPSTREAM_LOCAL_ADDRESS UPSTREAM_LOCAL_DNS_SAN UPSTREAM_LOCAL_IP_SAN UPSTREAM_LOCAL_PORT UPSTREAM_LOCAL_URI_SAN UPSTREAM_PEER_CERT UPSTREAM_PEER_DNS_SAN UPSTREAM_PEER_IP_SAN UPSTREAM_PEER_ISSUER UPSTREAM_PEER_SUBJECT UPSTREAM_PEER_URI_SAN UPSTREAM_PROTOCOL UPSTREAM_REMOTE_ADDRESS UPSTREAM_REMOTE_PORT UPSTREAM_REQUEST_ATTEMPT_COUNT UPSTREAM_TLS_CIPHER UPSTREAM_TLS_SESSION_ID UPSTREAM_TLS_VERSION UPSTREAM_TRANSPORT_FAILURE_REASON UPSTREAM_WIRE_BYTES_RECEIVED UPSTREAM_WIRE_BYTES_SENT VIRTUAL_CLUSTER_NAME";
const optional =
  "DOWNSTREAM_DIRECT_LOCAL_ADDRESS_WITHOUT_PORT DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT DOWNSTREAM_PEER_CERT_V_END DOWNSTREAM_PEER_CERT_V_START DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT EMIT_TIME GRPC_STATUS PATH REQUESTED_SERVER_NAME RESPONSE_CODE_DETAILS START_TIME UPSTREAM_LOCAL_ADDRESS_WITHOUT_PORT UPSTREAM_PEER_CERT_V_END UPSTREAM_PEER_CERT_V_START UPSTREAM_REMOTE_ADDRESS_WITHOUT_PORT";
const required =
  "CEL CLUSTER_METADATA COMMON_DURATION DYNAMIC_METADATA ENVIRONMENT FILTER_STATE METADATA QUERY_PARAM REQ REQ_WITHOUT_QUERY REQUEST_HEADER RESP RESPONSE_HEADER RESPONSE_TRAILER STREAM_INFO_REQ TRAILER UPSTREAM_FILTER_STATE UPSTREAM_METADATA";

const operators: ReadonlyMap<string, "none" | "optional" | "required"> = new Map([
  ...plain.split(" ").map((name) => [name, "none"] as const),
  ...optional.split(" ").map((name) => [name, "optional"] as const),
  ...required.split(" ").map((name) => [name, "required"] as const),
]);

/** Operators that accept a maximum length. */
const cut: ReadonlySet<string> = new Set(
  "CEL DYNAMIC_METADATA ENVIRONMENT FILTER_STATE METADATA PATH QUERY_PARAM REQ REQ_WITHOUT_QUERY REQUEST_HEADER RESP RESPONSE_HEADER RESPONSE_TRAILER STREAM_INFO_REQ TRAILER UPSTREAM_FILTER_STATE".split(
    " ",
  ),
);

/** A header, and an optional fallback header. */
const headers = /^(?:|:?[\w!#$&'*+.^`|~-]+(?:\?:?[\w!#$&'*+.^`|~-]+)?)$/u;
const filterState = /^[^:]+(?::(?:PLAIN|TYPED|FIELD:[^:]+))?$/u;

/** Valid arguments, for operators whose arguments Envoy checks at configuration time. */
const takenArguments: ReadonlyMap<string, RegExp> = new Map([
  // Only plain expressions: names separated by dots.
  [
    "CEL",
    /^(?!(?:as|break|const|continue|else|false|for|function|if|import|in|let|loop|null|package|namespace|return|true|var|void|while)\b)[a-z_]\w*(?:\.[a-z_]\w*)*$/u,
  ],
  ["COMMON_DURATION", /^[^:]+:[^:]+(?::(?:ms|us|ns))?$/u],
  ["FILTER_STATE", filterState],
  ["GRPC_STATUS", /^(?:|CAMEL_STRING|SNAKE_STRING|NUMBER)$/u],
  ["METADATA", /^(?:CLUSTER|DYNAMIC|LISTENER|LISTENER_FILTER_CHAIN|ROUTE|UPSTREAM_HOST|VIRTUAL_HOST)(?::.*)?$/u],
  ["PATH", /^(?:|(?:WQ|NQ)(?::(?:ORIG|PATH|ORIG_OR_PATH))?)$/u],
  ["REQ", headers],
  ["REQ_WITHOUT_QUERY", headers],
  ["REQUEST_HEADER", headers],
  ["REQUESTED_SERVER_NAME", /^(?:|(?:SNI_ONLY|SNI_FIRST|HOST_FIRST)(?::(?:ORIG|HOST|ORIG_OR_HOST))?)$/u],
  ["RESP", headers],
  ["RESPONSE_HEADER", headers],
  ["RESPONSE_TRAILER", headers],
  ["STREAM_INFO_REQ", headers],
  ["TRAILER", headers],
  ["UPSTREAM_FILTER_STATE", filterState],
]);

/** `%NAME(arguments):length%`, and `%%` for the sign itself. */
const written = /%%|%(?<name>[A-Z0-9_]+)(?:\((?<given>[^)]*)\))?(?<length>:\d+)?%/gu;

/** Access logs use an extension of Envoy that headers do not have. */
export type OperatorPlace = "access log" | "header";

/** The first operator that Envoy cannot replace, as written; undefined if all are valid. */
export function badOperator(text: string, place: OperatorPlace): string | undefined {
  for (const { 0: operator, groups = {} } of text.matchAll(written)) {
    if (operator === "%%") continue;
    const { name = "", given, length } = groups;
    const isTaken = isKnown(name, given) && (length === undefined || cut.has(name));
    if (!isTaken || (place === "header" && name === "REQ_WITHOUT_QUERY")) return operator;
  }
  return text.replaceAll(written, "").includes("%") ? "%" : undefined;
}

function isKnown(name: string, given: string | undefined): boolean {
  const wanted = operators.get(name);
  if (wanted === undefined) return false;
  if (given === undefined) return wanted !== "required";
  if (wanted === "none" || (wanted === "required" && given === "")) return false;
  return takenArguments.get(name)?.test(given) ?? true;
}
