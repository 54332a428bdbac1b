import { expect, test } from "vitest";
import { describeRules } from "../../testing/config/kind-rules.ts";
import { kinds } from "../kinds.ts";
import { parseConfigs } from "../parse/parse.ts";

/** A rule at a gateway, where every field of a route is allowed. */
const route = (fields: string): string =>
  `{hosts: [a.com], gateways: [b/c], http: [{route: [{destination: {host: a}}], ${fields}}]}`;
const changes = (fields: string): string => route(`headers: {${fields}}`);
const match = (fields: string): string => route(`match: [{${fields}}]`);
const answer = (fields: string): string => `{hosts: [a.com], http: [{${fields}}]}`;

const manyHeaders = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `x-${index}: a`).join(", ")}}`;

describeRules("VirtualService", [
  [changes(`request: {set: ${manyHeaders(250)}, add: ${manyHeaders(250)}}, response: {set: ${manyHeaders(500)}}`)],
  [changes(`request: {set: ${manyHeaders(250)}, add: ${manyHeaders(251)}}`), "too-many-values http[0].headers.request"],
  [changes('request: {set: {":authority": b}}')],
  [changes("request: {add: {host: b}}")],
  [changes('request: {set: {":path": /b}}'), 'bad-header http[0].headers.request.set[":path"]'],
  [changes("request: {remove: [host]}"), "bad-header http[0].headers.request.remove[0]"],
  [changes("response: {set: {Host: b}}"), "bad-header http[0].headers.response.set.Host"],
  [changes('response: {remove: [":status"]}'), "bad-header http[0].headers.response.remove[0]"],
  [changes('request: {set: {a: "100%% of %HOSTNAME% at %START_TIME(%Y/%m)% and %REQ(a?b):10%"}}')],
  [changes('request: {set: {a: "50% off"}}'), "bad-header http[0].headers.request.set.a"],
  [changes('response: {add: {a: "%HOSTNAME%%"}}'), "bad-header http[0].headers.response.add.a"],
  ...[
    "%CEL(request.path)%",
    "%COMMON_DURATION(DS_RX_BEG:US_TX_END:ms)%",
    "%FILTER_STATE(a:FIELD:b):5%",
    "%GRPC_STATUS(NUMBER)%",
    "%METADATA(CLUSTER:a:b)%",
    "%PATH(NQ:ORIG):5%",
    "%REQUESTED_SERVER_NAME(SNI_FIRST)%",
  ].map((operator) => [changes(`request: {set: {a: "${operator}"}}`)] as const),
  ...[
    "%CEL(1 +)%",
    "%CEL(in)%",
    "%COMMON_DURATION(a)%",
    "%DURATION:5%",
    "%FILTER_STATE(a:b)%",
    "%GRPC_STATUS(a)%",
    "%METADATA(a:b)%",
    "%PATH(a)%",
    "%REQ_WITHOUT_QUERY(a)%",
    "%REQUESTED_SERVER_NAME(a)%",
    "%START_TIME:5%",
  ].map(
    (operator) => [changes(`request: {set: {a: "${operator}"}}`), "bad-header http[0].headers.request.set.a"] as const,
  ),
  [changes('request: {set: {a: "b\\nc"}}'), "bad-header http[0].headers.request.set.a"],
  [
    route("rewrite: {authority: b}, headers: {request: {set: {host: c}}}"),
    "conflicting-fields http[0].headers.request",
  ],
  [route("rewrite: {uriRegexRewrite: {match: a}}"), "missing-value http[0].rewrite.uriRegexRewrite.rewrite"],
  [match('headers: {"@request.auth.claims.group": {exact: a}}')],
  [match('headers: {"@request.auth.claims[a.b]": {exact: a}}')],
  [match('headers: {"@request.auth.claims.a.b": {exact: a}, "@request.auth.claims[a][b]": {exact: a}}')],
  [match('headers: {"@request.auth.claims.": {}}'), 'bad-header http[0].match[0].headers["@request.auth.claims."]'],
  [match('headers: {"@request.auth.claims.a.": {}}'), 'bad-header http[0].match[0].headers["@request.auth.claims.a."]'],
  [
    match('headers: {"@request.auth.claims[a][]": {}}'),
    'bad-header http[0].match[0].headers["@request.auth.claims[a][]"]',
  ],
  [
    answer('match: [{headers: {"@request.auth.claims.group": {exact: a}}}], route: [{destination: {host: a}}]'),
    'unsupported-field http[0].match[0].headers["@request.auth.claims.group"]',
  ],
  [match('headers: {":method": {exact: a}}')],
  [match('headers: {":other": {exact: a}}'), 'bad-header http[0].match[0].headers[":other"]'],
  [match('withoutHeaders: {a: {regex: "*"}}')],
  [match('headers: {a: {regex: "*"}}'), "bad-regex http[0].match[0].headers.a.regex"],
  [match('uri: {prefix: ""}')],
  [match('method: {prefix: ""}'), "empty-value http[0].match[0].method.prefix"],
  [match('queryParams: {a: {prefix: ""}}'), "empty-value http[0].match[0].queryParams.a.prefix"],
  [match("sourceNamespace: a_b"), "bad-namespace http[0].match[0].sourceNamespace"],
  [match(`uri: {regex: ${"a".repeat(1025)}}`), "bad-regex http[0].match[0].uri.regex"],
  [match("uri: {regex: /a}, ignoreUriCase: true"), "useless-field http[0].match[0].ignoreUriCase"],
  [route('corsPolicy: {allowOrigins: [{exact: ""}]}'), "missing-value http[0].corsPolicy.allowOrigins[0]"],
  [route("corsPolicy: {maxAge: 0s}"), "bad-duration http[0].corsPolicy.maxAge"],
  [route('corsPolicy: {allowHeaders: ["*", ":a"]}'), "bad-header http[0].corsPolicy.allowHeaders[1]"],
  [answer("match: [{uri: {prefix: /a}}], redirect: {prefixRewrite: /b}")],
  [answer("match: [{uri: {exact: /a}}], redirect: {prefixRewrite: /b}"), "bad-match http[0].redirect.prefixRewrite"],
  [answer("redirect: {scheme: ftp}"), "unknown-value http[0].redirect.scheme"],
  [answer("redirect: {port: 70000}"), "bad-port http[0].redirect.port"],
  [
    answer(`directResponse: {status: 200, body: {string: ${"a".repeat(101 * 1024)}}}`),
    "large-body http[0].directResponse.body",
  ],
  [route("fault: {abort: {httpStatus: 599}}")],
  [route("fault: {abort: {httpStatus: 600}}"), "bad-status http[0].fault.abort.httpStatus"],
  [route("mirror: {host: b}, mirrorPercentage: {value: 0.00001}")],
  [route("mirror: {host: b}, mirrorPercent: 10"), "deprecated-field http[0].mirrorPercent"],
  [route("retries: {attempts: 0, retryRemoteLocalities: true}"), "useless-field http[0].retries"],
  [
    route('rewrite: {uriRegexRewrite: {match: a, rewrite: "/\\n"}}'),
    "bad-header http[0].rewrite.uriRegexRewrite.rewrite",
  ],
  [
    route('rewrite: {uri: "/\\0", authority: "a\\r"}'),
    "bad-header http[0].rewrite.uri",
    "bad-header http[0].rewrite.authority",
  ],
  [route('match: [{queryParams: {"": {exact: a}}}]'), "missing-value http[0].match[0].queryParams"],
  [route(`match: [{queryParams: {"${"é".repeat(513)}": {exact: a}}}]`), "too-long http[0].match[0].queryParams"],
  [route(`headers: {request: {add: {a: ${"b".repeat(16_385)}}}}`), "too-long http[0].headers.request.add.a"],
  [answer('redirect: {uri: "/\\n"}'), "bad-header http[0].redirect.uri"],
  [
    "{hosts: [outbound_.80_._.a.b], gateways: [b/c], tls: [{match: [{sniHosts: [outbound_.80_._.a.b]}], route: [{destination: {host: a}}]}]}",
  ],
  [
    answer("route: [{destination: {host: a}}]}], exportTo: ['~'], tcp: [{route: [{destination: {host: a}}]"),
    "bad-export-to exportTo[0]",
  ],
  [
    answer("route: [{destination: {host: a}}]}], exportTo: ['.', default], tcp: [{route: [{destination: {host: a}}]"),
    "duplicate-value exportTo[1]",
  ],
]);

const server = (fields: string): string => `{servers: [{hosts: ["*"], ${fields}}]}`;
const secure = (tls: string): string => server(`port: {number: 443, name: a, protocol: HTTPS}, tls: {${tls}}`);

describeRules("Gateway", [
  [server("port: {number: 0, name: a, protocol: HTTP}, bind: unix:///a")],
  [server("port: {number: 80, name: a, protocol: HTTP}, bind: unix:///a"), "bad-port servers[0].port.number"],
  [
    server("port: {number: 80, name: a, protocol: HTTP, targetPort: 81}"),
    "unsupported-field servers[0].port.targetPort",
  ],
  [server("port: {number: 80, name: a, protocol: HTTP}, tls: {httpsRedirect: true}")],
  [
    server("port: {number: 80, name: a, protocol: HTTP}, tls: {httpsRedirect: true, credentialName: a}"),
    "useless-field servers[0].tls",
  ],
  [secure("mode: PASSTHROUGH, httpsRedirect: true"), "useless-field servers[0].tls.httpsRedirect"],
  [
    secure("mode: SIMPLE, credentialName: a, minProtocolVersion: TLSV1_0"),
    "missing-value servers[0].tls.minProtocolVersion",
  ],
  [secure(`mode: SIMPLE, credentialName: a, verifyCertificateHash: [${"aB".repeat(32)}, ${"ab:".repeat(31)}ab]`)],
  [
    secure("mode: SIMPLE, credentialName: a, verifyCertificateHash: [ab], verifyCertificateSpki: [ab]"),
    "bad-value servers[0].tls.verifyCertificateHash[0]",
    "bad-value servers[0].tls.verifyCertificateSpki[0]",
  ],
  [secure("mode: SIMPLE, credentialName: a, ecdhCurves: [P-384, X25519]")],
  [secure("mode: SIMPLE, credentialName: a, ecdhCurves: [brainpool]"), "unknown-value servers[0].tls.ecdhCurves[0]"],
  [secure("mode: SIMPLE, serverCertificate: a, privateKey: b, caCrl: c"), "conflicting-fields servers[0].tls.caCrl"],
]);

const policy = (fields: string): string => `{host: a, trafficPolicy: {${fields}}}`;
const hash = (fields: string): string => policy(`loadBalancer: {consistentHash: {httpHeaderName: a, ${fields}}}`);
const hashPath = "trafficPolicy.loadBalancer.consistentHash";
const placePath = "trafficPolicy.loadBalancer.localityLbSetting";

describeRules("DestinationRule", [
  [
    policy("tunnel: {targetHost: a.com, targetPort: 80}, proxyProtocol: {version: V1}"),
    "conflicting-fields trafficPolicy",
  ],
  [policy('tunnel: {targetHost: "fe80::1%eth0", targetPort: 80}'), "bad-host trafficPolicy.tunnel.targetHost"],
  [policy("tunnel: {targetHost: a b, targetPort: 80}"), "bad-host trafficPolicy.tunnel.targetHost"],
  [
    policy("outlierDetection: {consecutiveLocalOriginFailures: 3}"),
    "useless-field trafficPolicy.outlierDetection.consecutiveLocalOriginFailures",
  ],
  [policy("connectionPool: {tcp: {idleTimeout: 0s}}")],
  [policy("connectionPool: {http: {idleTimeout: 0s}}"), "bad-duration trafficPolicy.connectionPool.http.idleTimeout"],
  [
    policy("connectionPool: {http: {h2UpgradePolicy: UPGRADE, useClientProtocol: true}}"),
    "conflicting-fields trafficPolicy.connectionPool.http",
  ],
  [
    policy("connectionPool: {http: {http2KeepAlive: {interval: 1s}}}"),
    "missing-duration trafficPolicy.connectionPool.http.http2KeepAlive.timeout",
  ],
  [policy(`tls: {mode: SIMPLE, caCertificates: /${"a".repeat(256)}}`), "bad-value trafficPolicy.tls.caCertificates"],
  [policy('tls: {mode: SIMPLE, sni: "a\\0b"}'), "bad-host trafficPolicy.tls.sni"],
  [policy(`tls: {mode: SIMPLE, sni: ${"a".repeat(256)}}`), "bad-host trafficPolicy.tls.sni"],
  [hash("maglev: {tableSize: 65537}")],
  [hash("ringHash: {minimumRingSize: 8388608}")],
  [hash("ringHash: {minimumRingSize: 8388609}"), `out-of-range ${hashPath}.ringHash.minimumRingSize`],
  [
    policy("connectionPool: {tcp: {connectTimeout: 9223372036s}}"),
    "bad-duration trafficPolicy.connectionPool.tcp.connectTimeout",
  ],
  [
    policy("connectionPool: {tcp: {tcpKeepalive: {time: 4294967296s, interval: 4294967295s}}}"),
    "bad-duration trafficPolicy.connectionPool.tcp.tcpKeepalive.time",
  ],
  [
    policy('loadBalancer: {consistentHash: {httpCookie: {name: "a\\0", path: "/\\n", ttl: 9223372036s}}}'),
    `bad-header ${hashPath}.httpCookie.name`,
    `bad-header ${hashPath}.httpCookie.path`,
    `bad-duration ${hashPath}.httpCookie.ttl`,
  ],
  [
    policy('loadBalancer: {consistentHash: {httpCookie: {name: a, ttl: 1s, attributes: [{name: "a\\n", value: b}]}}}'),
    `bad-header ${hashPath}.httpCookie.attributes[0].name`,
  ],
  [policy('loadBalancer: {consistentHash: {httpHeaderName: "a\\0"}}'), `bad-header ${hashPath}.httpHeaderName`],
  [
    policy("outlierDetection: {consecutiveErrors: 7}"),
    "unsupported-field trafficPolicy.outlierDetection.consecutiveErrors",
  ],
  [hash("maglev: {tableSize: 65536}"), `out-of-range ${hashPath}.maglev.tableSize`],
  [hash("maglev: {}"), `out-of-range ${hashPath}.maglev.tableSize`],
  [hash("minimumRingSize: 10, ringHash: {}"), `conflicting-fields ${hashPath}.minimumRingSize`],
  [hash("minimumRingSize: 10"), `deprecated-field ${hashPath}.minimumRingSize`],
  [policy("loadBalancer: {warmup: {duration: 1s, aggression: 0.5}}")],
  [
    policy("loadBalancer: {localityLbSetting: {failover: [{from: a, to: b}]}}"),
    `missing-outlier-detection ${placePath}`,
  ],
  [
    policy("outlierDetection: {}, loadBalancer: {localityLbSetting: {failover: [{from: a, to: b/c}]}}"),
    `bad-failover ${placePath}.failover[0].to`,
  ],
  [
    policy(
      "outlierDetection: {}, loadBalancer: {localityLbSetting: {failover: [{from: a, to: b}], failoverPriority: [topology.kubernetes.io/zone]}}",
    ),
    `conflicting-fields ${placePath}.failoverPriority`,
  ],
  [policy(`outlierDetection: {}, loadBalancer: {localityLbSetting: {failoverPriority: [${"a, ".repeat(12)}]}}`)],
  [
    policy(`outlierDetection: {}, loadBalancer: {localityLbSetting: {failoverPriority: [${"a, ".repeat(13)}]}}`),
    `too-many-values ${placePath}.failoverPriority`,
  ],
  ["{host: a, workloadSelector: {matchLabels: {a: b}}, exportTo: ['.']}"],
  ["{host: a, workloadSelector: {matchLabels: {a: b}}, exportTo: ['*']}", "conflicting-fields exportTo"],
]);

const dynamic = (fields: string, protocol = "HTTP"): string =>
  `{resolution: DYNAMIC_DNS, ports: [{number: 80, name: a, protocol: ${protocol}}], ${fields}}`;

describeRules("ServiceEntry", [
  ["{hosts: [a.com, b.com], resolution: DNS, ports: [{number: 80, name: a}]}", "ambiguous-hosts ports[0]"],
  [dynamic('hosts: ["*.a.com"]')],
  [dynamic("hosts: [a.com]"), "bad-host hosts[0]"],
  [dynamic('hosts: ["*.a.com"], addresses: [10.0.0.1]'), "conflicting-fields addresses"],
  [dynamic('hosts: ["*.a.com"]', "TCP"), "unknown-protocol ports[0].protocol"],
  [
    "{hosts: [a.com], resolution: NONE, ports: [{number: 80, name: a}], workloadSelector: {labels: {a: b}}}",
    "useless-field workloadSelector",
  ],
  [
    "{hosts: [a.com], resolution: STATIC, ports: [{number: 80, name: a}], endpoints: [{address: 10.0.0.1, ports: {'@': 80}}]}",
    'bad-name endpoints[0].ports["@"]',
    'unknown-port endpoints[0].ports["@"]',
  ],
  [
    "{hosts: [a.com], resolution: DNS, ports: [{number: 80, name: a}], endpoints: [{network: b}]}",
    "missing-address endpoints[0].address",
  ],
  ["{hosts: [a.com], resolution: DNS, exportTo: ['~'], ports: [{number: 80, name: a}]}"],
]);

const egress = (port: string, bind: string): string =>
  `{port: {${port}, protocol: HTTP}, hosts: ["*/*"], bind: "${bind}"}`;

describeRules("Sidecar", [
  ["{ingress: [{port: {number: 80}}]}"],
  ["{ingress: [{port: {number: 80, name: '@'}}]}", "bad-name ingress[0].port.name"],
  [`{egress: [${egress("number: 0", "unix:///a")}]}`],
  [`{egress: [${egress("number: 80", "unix:///a")}]}`, "bad-port egress[0].port.number"],
  [`{egress: [${egress("number: 80", "10.0.0.1")}, ${egress("number: 80", "10.0.0.2")}]}`, "duplicate-value egress[1]"],
  [
    "{outboundTrafficPolicy: {mode: REGISTRY_ONLY, egressProxy: {host: a, port: {number: 80}}}}",
    "conflicting-fields outboundTrafficPolicy.mode",
  ],
  [
    '{outboundTrafficPolicy: {mode: ALLOW_ANY, egressProxy: {host: "*.a.com", port: {number: 80}}}}',
    "bad-host outboundTrafficPolicy.egressProxy.host",
  ],
  [
    "{outboundTrafficPolicy: {mode: ALLOW_ANY, egressProxy: {host: a}}}",
    "missing-port outboundTrafficPolicy.egressProxy.port",
  ],
]);

describeRules("AuthorizationPolicy", [
  ["{action: DENY, rules: [{to: [{operation: {methods: [GET]}}]}]}", "denies-tcp rules[0]"],
  ["{action: DENY, rules: [{to: [{operation: {methods: [GET], ports: ['80']}}]}]}"],
  ["{action: DENY, rules: [{from: [{source: {requestPrincipals: [a]}}]}]}", "denies-tcp rules[0]"],
  ["{action: DENY, rules: [{from: [{source: {namespaces: [a]}}]}]}"],
  ["{action: ALLOW, rules: [{to: [{operation: {methods: [GET]}}]}]}"],
]);

describeRules("RequestAuthentication", [
  [`{jwtRules: [{issuer: a, jwks: '{"keys":[{"kty":"oct","k":"AAAA"}]}'}]}`, "private-key jwtRules[0].jwks"],
  [`{jwtRules: [{issuer: a, jwks: '{"keys":[{"kty":"RSA","n":"AAAA","e":"AQAB"}]}'}]}`],
  [
    "{jwtRules: [{issuer: a, outputClaimToHeaders: [{claim: b, header: 'x.y'}]}]}",
    "bad-header jwtRules[0].outputClaimToHeaders[0].header",
  ],
]);

describeRules("WorkloadGroup", [
  [
    "{template: {}, probe: {httpGet: {port: 80, httpHeaders: [{name: '**'}]}}}",
    "bad-header probe.httpGet.httpHeaders[0].name",
  ],
]);

describeRules("WasmPlugin", [["{url: file:///a.wasm}"], ["{url: '#a'}", "bad-url url"]]);

test.each([
  ["VirtualService", "internal.istio.io/parents: a", ["bad-annotation"]],
  ["VirtualService", 'istio.io/dry-run: "true"', ["bad-annotation"]],
  ["AuthorizationPolicy", 'istio.io/dry-run: "true"', []],
  ["AuthorizationPolicy", 'istio.io/dry-run: "maybe"', ["bad-annotation"]],
])("a %s with the annotation %s has %j", (kind, annotation, codes) => {
  const isRoute = kind === "VirtualService";
  const text = `apiVersion: ${isRoute ? "networking" : "security"}.istio.io/v1
kind: ${kind}
metadata: {name: a, annotations: {${annotation}}}
spec: ${isRoute ? answer("route: [{destination: {host: a}}]") : "{}"}
`;
  const { issues } = parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "default" });
  expect(issues.map(({ code }) => code)).toEqual(codes);
});
