const groups: Readonly<Record<string, string>> = {
  Telemetry: "telemetry.istio.io/v1",
  EnvoyFilter: "networking.istio.io/v1alpha3",
  ProxyConfig: "networking.istio.io/v1beta1",
};

/** A policy of the root namespace, which applies to the router and to the sidecar. */
function policy(kind: string, name: string, spec: object) {
  const metadata = { name, namespace: "istio-system" };
  return { apiVersion: groups[kind] ?? "security.istio.io/v1", kind, metadata, spec };
}

const everySource = {
  principals: ["cluster.local/ns/shop/sa/a", "*/sa/b", "cluster.local/ns/*", "*"],
  requestPrincipals: ["shop/anna", "*"],
  namespaces: ["shop", "a*", "*b"],
  ipBlocks: ["10.0.0.0/8", "10.1.2.3", "fd00::/8"],
  remoteIpBlocks: ["10.0.0.0/8"],
};

const everyNotSource = {
  notPrincipals: ["cluster.local/ns/shop/sa/c"],
  notRequestPrincipals: ["bank/*"],
  notNamespaces: ["evil"],
  notIpBlocks: ["192.168.0.0/16"],
  notRemoteIpBlocks: ["192.168.0.0/16"],
};

const everyOperation = {
  hosts: ["a.example.com", "*.example.com", "b.example.com:*"],
  notHosts: ["evil.example.com"],
  ports: ["80", "7070"],
  notPorts: ["81"],
  methods: ["GET", "P*"],
  notMethods: ["DELETE"],
  paths: ["/a", "/b/*", "*/c", "/d/{*}/e", "/f/{**}"],
  notPaths: ["/admin"],
};

const everyCondition = [
  { key: "request.headers[x-role]", values: ["admin", "a*"], notValues: ["guest"] },
  { key: "source.ip", values: ["10.0.0.0/8"], notValues: ["10.1.0.0/16"] },
  { key: "remote.ip", values: ["10.0.0.0/8"] },
  { key: "source.namespace", values: ["shop"] },
  { key: "source.principal", values: ["cluster.local/ns/shop/sa/a"] },
  { key: "request.auth.principal", values: ["shop/anna"] },
  { key: "request.auth.audiences", values: ["app"] },
  { key: "request.auth.presenter", values: ["anna"] },
  { key: "request.auth.claims[groups][nested]", values: ["a", "b*"] },
  { key: "destination.ip", values: ["127.0.0.0/8"] },
  { key: "destination.port", values: ["7070"] },
  { key: "connection.sni", values: ["*.example.com"] },
];

const everyRule = {
  from: [{ source: everySource }, { source: everyNotSource }, { source: { serviceAccounts: ["shop/a", "b"] } }],
  to: [{ operation: everyOperation }],
  when: everyCondition,
};
const byPath = [{ to: [{ operation: { paths: ["/a"], ports: ["7070"] } }] }];

const keys = JSON.stringify({
  keys: [{ kty: "oct", kid: "one", alg: "HS256", k: Buffer.alloc(32, 1).toString("base64url") }],
});

const types = "type.googleapis.com/envoy.extensions.filters";
const header = { request_headers_to_add: [{ header: { key: "x-a", value: "b" } }] };

/** Policies of which every object is right, with nearly every field of their kinds. */
export const policyFixtures = [
  policy("AuthorizationPolicy", "allow", { rules: [everyRule, {}] }),
  policy("AuthorizationPolicy", "deny", { action: "DENY", rules: [everyRule, ...byPath] }),
  policy("AuthorizationPolicy", "audit", { action: "AUDIT", rules: [everyRule] }),
  policy("AuthorizationPolicy", "http", { action: "CUSTOM", provider: { name: "ask-http" }, rules: byPath }),
  policy("AuthorizationPolicy", "grpc", {
    selector: { matchLabels: { app: "client" } },
    action: "CUSTOM",
    provider: { name: "ask-grpc" },
    rules: byPath,
  }),
  policy("RequestAuthentication", "tokens", {
    jwtRules: [
      {
        issuer: "shop",
        audiences: ["app", "web"],
        jwks: keys,
        fromHeaders: [{ name: "x-token", prefix: "Bearer " }, { name: "authorization" }],
        fromParams: ["token"],
        fromCookies: ["auth"],
        outputPayloadToHeader: "x-payload",
        forwardOriginalToken: true,
        outputClaimToHeaders: [{ header: "x-sub", claim: "sub" }],
        spaceDelimitedClaims: ["roles"],
        timeout: "3s",
      },
      { issuer: "bank", jwks: keys },
    ],
  }),
  policy("Telemetry", "all", {
    tracing: [
      {
        match: { mode: "CLIENT_AND_SERVER" },
        providers: [{ name: "spans" }],
        randomSamplingPercentage: 12.5,
        customTags: {
          fixed: { literal: { value: "a" } },
          sent: { header: { name: "x-sent", defaultValue: "none" } },
          set: { environment: { name: "HOME", defaultValue: "none" } },
        },
      },
    ],
    accessLogging: [
      {
        match: { mode: "SERVER" },
        filter: { expression: "has(request.headers.a) && size(request.path) > 1" },
        providers: [{ name: "text" }, { name: "json" }, { name: "entries" }, { name: "connections" }, { name: "otel" }],
      },
      {
        match: { mode: "CLIENT" },
        providers: [{ name: "text" }],
        filter: { expression: "response.code >= 400 || request.path.matches('^/a')" },
      },
    ],
  }),
  policy("ProxyConfig", "all", { concurrency: 2, environmentVariables: { A: "b" } }),
  policy("EnvoyFilter", "patches", {
    priority: 5,
    configPatches: [
      {
        applyTo: "HTTP_FILTER",
        match: {
          context: "SIDECAR_INBOUND",
          listener: {
            filterChain: {
              filter: {
                name: "envoy.filters.network.http_connection_manager",
                subFilter: { name: "envoy.filters.http.router" },
              },
            },
          },
        },
        patch: {
          operation: "INSERT_BEFORE",
          value: {
            name: "another-cors",
            typed_config: { "@type": `${types}.http.cors.v3.Cors` },
          },
        },
      },
      { applyTo: "VIRTUAL_HOST", match: { context: "GATEWAY" }, patch: { operation: "MERGE", value: header } },
      {
        applyTo: "HTTP_ROUTE",
        match: { context: "SIDECAR_OUTBOUND", routeConfiguration: { vhost: { route: { action: "ROUTE" } } } },
        patch: { operation: "MERGE", value: header },
      },
      { applyTo: "CLUSTER", patch: { operation: "MERGE", value: { connect_timeout: "7s" } } },
      {
        applyTo: "LISTENER",
        match: { context: "SIDECAR_INBOUND", listener: { portNumber: 7070 } },
        patch: { operation: "MERGE", value: { per_connection_buffer_limit_bytes: 32_768 } },
      },
    ],
  }),
];

const at = { service: "grpc.shop.svc.cluster.local", port: 8081 };

/** Providers that the policies name, with nearly every field. */
export const providerFixtures = [
  {
    name: "ask-http",
    envoyExtAuthzHttp: {
      service: "reviews.shop.svc.cluster.local",
      port: 8080,
      timeout: "2s",
      pathPrefix: "/check",
      failOpen: true,
      statusOnError: "503",
      includeRequestHeadersInCheck: ["x-ask", "x-b*"],
      includeAdditionalHeadersInCheck: { "x-from": "mesh" },
      includeRequestBodyInCheck: { maxRequestBytes: 1024, allowPartialMessage: true, packAsBytes: true },
      headersToUpstreamOnAllow: ["x-user", "x-c*"],
      headersToDownstreamOnAllow: ["x-ok"],
      headersToDownstreamOnDeny: ["x-reason"],
    },
  },
  { name: "ask-grpc", envoyExtAuthzGrpc: { ...at, timeout: "2s", failOpen: false, statusOnError: "500" } },
  {
    name: "text",
    envoyFileAccessLog: { path: "/dev/null", logFormat: { text: "%RESPONSE_CODE% %REQ(X-A?:PATH):20%" } },
  },
  { name: "json", envoyFileAccessLog: { path: "/dev/null", logFormat: { labels: { code: "%RESPONSE_CODE%" } } } },
  {
    name: "entries",
    envoyHttpAls: {
      ...at,
      logName: "http",
      filterStateObjectsToLog: ["a"],
      additionalRequestHeadersToLog: ["x-a"],
      additionalResponseHeadersToLog: ["x-b"],
      additionalResponseTrailersToLog: ["x-c"],
    },
  },
  { name: "connections", envoyTcpAls: { ...at, logName: "tcp", filterStateObjectsToLog: ["a"] } },
  {
    name: "otel",
    envoyOtelAls: { ...at, logName: "otel", logFormat: { text: "%PROTOCOL%", labels: { code: "%RESPONSE_CODE%" } } },
  },
  {
    name: "spans",
    opentelemetry: {
      ...at,
      maxTagLength: 64,
      resourceDetectors: { environment: {} },
      serviceAttributeEnrichment: "OTEL_SEMANTIC_CONVENTIONS",
    },
  },
  { name: "zipkin", zipkin: { ...at, maxTagLength: 64, enable64bitTraceId: true, path: "/api/v2/spans" } },
  { name: "datadog", datadog: { ...at, maxTagLength: 64 } },
  { name: "skywalking", skywalking: { ...at, accessToken: "a" } },
];
