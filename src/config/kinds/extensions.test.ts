import { describeRules } from "../../testing/config/kind-rules.ts";

const manager = "envoy.filters.network.http_connection_manager";
const patch = (applyTo: string, match: string): string =>
  `{configPatches: [{applyTo: ${applyTo}, match: {${match}}, patch: {operation: REMOVE}}]}`;
const listener = (filter: string): string => `listener: {filterChain: {filter: {${filter}}}}`;
const match = "configPatches[0].match";
const filter = `${match}.listener.filterChain.filter`;

describeRules("EnvoyFilter", [
  ["{}"],
  [patch("HTTP_FILTER", listener(`name: ${manager}, subFilter: {name: envoy.filters.http.router}`))],
  ["{configPatches: [{applyTo: CLUSTER, patch: {operation: ADD, value: {name: a}}}]}"],
  ["{workloadSelector: {labels: {app: '*'}}}", "bad-label workloadSelector.labels.app"],
  ["{workloadSelector: {labels: {app: a}}, targetRefs: [{kind: Service, name: a}]}", "conflicting-fields"],
  ["{configPatches: [{patch: {operation: REMOVE}}]}", "missing-value configPatches[0].applyTo"],
  ["{configPatches: [{applyTo: CLUSTER}]}", "missing-value configPatches[0].patch"],
  [
    "{configPatches: [{applyTo: CLUSTER, patch: {}}]}",
    "missing-value configPatches[0].patch.operation",
    "missing-value configPatches[0].patch.value",
  ],
  ["{configPatches: [{applyTo: CLUSTER, patch: {operation: MERGE}}]}", "missing-value configPatches[0].patch.value"],
  [patch("CLUSTER", 'proxy: {proxyVersion: "^1\\\\.[0-9]+"}')],
  [patch("CLUSTER", 'proxy: {proxyVersion: "("}'), `bad-regex ${match}.proxy.proxyVersion`],
  [patch("CLUSTER", "listener: {portNumber: 80}"), `bad-match ${match}.listener`],
  [patch("HTTP_ROUTE", "cluster: {name: a}"), `bad-match ${match}.cluster`],
  [patch("HTTP_FILTER", "routeConfiguration: {name: a}"), `bad-match ${match}.routeConfiguration`],
  [patch("NETWORK_FILTER", listener("")), `missing-value ${filter}.name`],
  [patch("NETWORK_FILTER", listener(`name: ${manager}, subFilter: {name: a}`)), `bad-match ${filter}.subFilter`],
  [patch("HTTP_FILTER", listener("name: a, subFilter: {name: b}")), `bad-match ${filter}.name`],
  [patch("HTTP_FILTER", listener(`name: ${manager}, subFilter: {}`)), `missing-value ${filter}.subFilter.name`],
  [patch("HTTP_FILTER", "context: WAYPOINT, waypoint: {portNumber: 80}")],
  [
    patch("HTTP_FILTER", "waypoint: {portNumber: 70000}"),
    `bad-match ${match}`,
    `bad-port ${match}.waypoint.portNumber`,
  ],
  [
    "{filters: [{insertPosition: {index: BEFORE}}]}",
    "removed-field filters[0]",
    "missing-value filters[0].insertPosition.relativeTo",
    "missing-value filters[0].filterType",
    "missing-value filters[0].filterName",
    "missing-value filters[0].filterConfig",
  ],
]);

describeRules("WorkloadGroup", [
  ["{template: {serviceAccount: a}, probe: {tcpSocket: {port: 80}}}"],
  ["{}", "missing-value template"],
  ["{metadata: {labels: {app: a b}}, template: {}}", "bad-label metadata.labels.app"],
  ["{template: {ports: {http: 0}}}", "bad-port template.ports.http"],
  ["{template: {}, probe: {}}", "missing-value probe"],
  ["{template: {}, probe: {periodSeconds: -1, grpc: {port: 1}}}", "negative-value probe.periodSeconds"],
  ["{template: {}, probe: {httpGet: {port: 0}}}", "bad-port probe.httpGet.port"],
  ["{template: {}, probe: {httpGet: {port: 1, scheme: FTP}}}", "unknown-value probe.httpGet.scheme"],
  [
    "{template: {}, probe: {httpGet: {port: 1, httpHeaders: [{name: a b}]}}}",
    "bad-header probe.httpGet.httpHeaders[0].name",
  ],
  [
    "{template: {}, probe: {httpGet: {port: 1, httpHeaders: [{name: x-a}, {name: x_a}]}}}",
    "bad-header probe.httpGet.httpHeaders[1].name",
  ],
  ["{template: {}, probe: {exec: {command: []}}}", "missing-value probe.exec.command"],
  ["{template: {}, probe: {exec: {command: ['']}}}", "empty-value probe.exec.command[0]"],
]);

describeRules("ProxyConfig", [
  ["{selector: {matchLabels: {}}, concurrency: 0}", "empty-selector selector"],
  ["{concurrency: -1}", "negative-value concurrency"],
  ["{selector: {matchLabels: {'*': a}}}", 'bad-label selector.matchLabels["*"]'],
]);

const overrides = (override: string): string => `{metrics: [{overrides: [{${override}}]}]}`;
const tag = (custom: string): string => `{tracing: [{customTags: {a: {${custom}}}}]}`;

describeRules("Telemetry", [
  ["{}"],
  ["{accessLogging: [{providers: [{}]}]}", "missing-value accessLogging[0].providers[0].name"],
  ['{accessLogging: [{filter: {expression: "response.code >= 400"}}]}'],
  ["{accessLogging: [{filter: {}}]}", "missing-value accessLogging[0].filter.expression"],
  ['{accessLogging: [{}, {filter: {expression: "a &&"}}]}', "bad-expression accessLogging[1].filter.expression"],
  ["{tracing: [{randomSamplingPercentage: 101}]}", "bad-percentage tracing[0].randomSamplingPercentage"],
  ["{metrics: [{reportingInterval: 0s}]}", "bad-duration metrics[0].reportingInterval"],
  [overrides('match: {customMetric: ""}'), "missing-value metrics[0].overrides[0].match.customMetric"],
  [overrides("tagOverrides: {a: {}}"), "missing-value metrics[0].overrides[0].tagOverrides.a.value"],
  [
    overrides("tagOverrides: {a: {operation: REMOVE, value: b}}"),
    "conflicting-fields metrics[0].overrides[0].tagOverrides.a.value",
  ],
  [tag("literal: {}"), "missing-value tracing[0].customTags.a.literal.value"],
  [tag("header: {}"), "missing-value tracing[0].customTags.a.header.name"],
  [tag("environment: {}"), "missing-value tracing[0].customTags.a.environment.name"],
  [tag("formatter: {}"), "missing-value tracing[0].customTags.a.formatter.value"],
  [tag(""), "missing-value tracing[0].customTags.a"],
  [
    "{selector: {matchLabels: {app: a}}, targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: a}]}",
    "conflicting-fields",
  ],
]);

describeRules("TrafficExtension", [
  ["{wasm: {url: oci://a/b}}"],
  ["{lua: {inlineCode: a}, targetRefs: [{kind: Service, name: a}]}"],
  ["{}", "missing-value"],
  ["{wasm: {sha256: a}}", "missing-value wasm.url", "bad-checksum wasm.sha256"],
  ["{lua: {}}", "missing-value lua.inlineCode"],
  [`{lua: {inlineCode: ${"a".repeat(65_536)}}}`],
  [`{lua: {inlineCode: ${"a".repeat(65_537)}}}`, "too-long lua.inlineCode"],
  ["{lua: {inlineCode: a}, match: [{ports: [{number: 70000}]}]}", "bad-port match[0].ports[0].number"],
]);

describeRules("WasmPlugin", [
  ["{url: oci://a/b}"],
  ["{url: a/b:latest}"],
  ["{}", "missing-value url"],
  ["{url: ftp://a}", "bad-url url"],
  ["{url: 1.2.3.4:5000/a}"],
  ["{url: oci://registry:5000/a}"],
  ["{url: registry:5000/a}", "bad-url url"],
  ["{url: https://a.com/b%20c}"],
  ["{url: https://a.com/b%}", "bad-url url"],
  ['{url: "https://a.com/b\\tc"}', "bad-url url"],
  ["{url: 'a '}", "bad-url url"],
  ["{url: 'a{1}'}", "bad-url url"],
  ["{url: 'https://a#b'}", "bad-url url"],
  ["{url: 'https://a/b#c'}"],
  ["{url: a, sha256: ABC}", "bad-checksum sha256"],
  ["{url: a, vmConfig: {env: [{value: b}]}}", "missing-value vmConfig.env[0].name"],
  ["{url: a, vmConfig: {env: [{name: b}, {name: b}]}}", "duplicate-value vmConfig.env[1].name"],
  ["{url: a, vmConfig: {env: [{name: b, valueFrom: HOST, value: c}]}}", "conflicting-fields vmConfig.env[0].value"],
  ["{url: a, match: [{ports: [{number: 0}]}]}", "bad-port match[0].ports[0].number"],
  [`{url: a, pluginName: ${"a".repeat(257)}}`, "too-long pluginName"],
]);
