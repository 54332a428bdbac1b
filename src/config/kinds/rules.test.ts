import { describeRules } from "../../testing/config/kind-rules.ts";

const to = "route: [{destination: {host: a}}]";
const http = (route: string): string => `{hosts: [a], http: [{${route}}]}`;

describeRules("VirtualService", [
  [`{hosts: [a, "*.b.com", 10.0.0.1], http: [{${to}}]}`],
  [`{hosts: ["*"], gateways: [g], http: [{${to}}]}`],
  [`{hosts: ["*"], gateways: [g, mesh], http: [{${to}}]}`, "bad-host hosts[0]"],
  [`{hosts: ["a b"], http: [{${to}}]}`, "bad-host hosts[0]"],
  [`{hosts: [a.com, "*.com"], http: [{${to}}]}`, "overlapping-hosts hosts[1]"],
  [`{http: [{${to}}]}`],
  [`{gateways: [g], http: [{${to}}]}`, "missing-host hosts"],
  [`{http: [{delegate: {name: b}}]}`, "nested-delegate http[0].delegate"],
  ["{hosts: [a]}", "missing-route"],
  [`{hosts: [a], gateways: [a/b/c], http: [{${to}}]}`, "bad-gateway gateways[0]"],
  [`{hosts: [a], exportTo: ["*", b], http: [{${to}}]}`, "bad-export-to exportTo"],
  [`{hosts: [a], exportTo: [b, c, b], http: [{${to}}]}`, "duplicate-value exportTo[2]"],
  [http("match: []"), "missing-action http[0]"],
  [http(`${to}, redirect: {uri: /b}`), "conflicting-fields http[0]"],
  [http("redirect: {uri: /b}, rewrite: {uri: /c}"), "conflicting-fields http[0].rewrite"],
  [http("redirect: {}"), "empty-redirect http[0].redirect"],
  [http("redirect: {uri: /b, redirectCode: 200}"), "bad-status http[0].redirect.redirectCode"],
  [http("redirect: {port: 8443}")],
  [http("directResponse: {status: 99}"), "bad-status http[0].directResponse.status"],
  [http("directResponse: {status: 503, body: {string: no}}")],
  [http(`${to}, rewrite: {}`), "empty-rewrite http[0].rewrite"],
  [
    http(`${to}, rewrite: {uriRegexRewrite: {match: "(", rewrite: /}}`),
    "bad-regex http[0].rewrite.uriRegexRewrite.match",
  ],
  [http(`${to}, timeout: 0s`), "bad-duration http[0].timeout"],
  [http(`${to}, timeout: 1us`), "bad-duration http[0].timeout"],
  [http("route: [{weight: 1}]"), "missing-destination http[0].route[0].destination"],
  [http('route: [{destination: {host: "*"}}]'), "bad-host http[0].route[0].destination.host"],
  [http("route: [{destination: {host: a, subset: a_b}}]"), "bad-name http[0].route[0].destination.subset"],
  [http("route: [{destination: {host: a, port: {number: 0}}}]"), "bad-port http[0].route[0].destination.port.number"],
  [http("route: [{destination: {host: a}, weight: 3}, {destination: {host: b}, weight: 1}]")],
  [http(`${to}, mirror: {host: ""}`), "missing-host http[0].mirror.host"],
  [
    http(`${to}, mirrors: [{destination: {host: b}, percentage: {value: 101}}]`),
    "bad-percentage http[0].mirrors[0].percentage.value",
  ],
  [http(`${to}, headers: {request: {set: {"a b": c}}}`), 'bad-header http[0].headers.request.set["a b"]'],
  [http(`${to}, match: [{headers: {":authority": {exact: a}, x-y: {}}}]`)],
  [http(`${to}, match: [{port: 70000}]`), "bad-port http[0].match[0].port"],
  [http(`${to}, match: [{sourceLabels: {app: "a b"}}]`), "bad-label http[0].match[0].sourceLabels.app"],
  [http(`${to}, match: [{uri: {regex: a}, ignoreUriCase: true}]`), "useless-field http[0].match[0].ignoreUriCase"],
  [http(`${to}, retries: {attempts: 3, perTryTimeout: 2s, retryOn: "5xx,connect-failure, 503"}`)],
  [http(`${to}, retries: {attempts: 3, retryOn: sometimes}`), "unknown-value http[0].retries.retryOn"],
  [http(`${to}, retries: {attempts: -1}`), "negative-value http[0].retries.attempts"],
  [http(`${to}, retries: {perTryTimeout: 2s}`), "useless-field http[0].retries"],
  [http(`${to}, fault: {}`), "empty-fault http[0].fault"],
  [http(`${to}, fault: {abort: {httpStatus: 700}}`), "bad-status http[0].fault.abort.httpStatus"],
  [http(`${to}, fault: {abort: {grpcStatus: UNAVAILABLE, percentage: {value: 0.1}}}`)],
  [http(`${to}, fault: {abort: {grpcStatus: "14"}}`), "bad-status http[0].fault.abort.grpcStatus"],
  [http(`${to}, fault: {abort: {http2Error: x}}`), "unsupported-field http[0].fault.abort.http2Error"],
  [http(`${to}, fault: {abort: {percentage: {value: 1}}}`), "missing-status http[0].fault.abort"],
  [http(`${to}, fault: {delay: {exponentialDelay: 1s}}`), "unsupported-field http[0].fault.delay.exponentialDelay"],
  [http(`${to}, fault: {delay: {percentage: {value: 1}}}`), "missing-delay http[0].fault.delay"],
  [http(`${to}, corsPolicy: {allowOrigins: [{regex: "("}]}`), "bad-regex http[0].corsPolicy.allowOrigins[0].regex"],
  [http(`${to}, corsPolicy: {allowMethods: [FETCH]}`), "unknown-value http[0].corsPolicy.allowMethods[0]"],
  [http(`${to}, corsPolicy: {maxAge: 1500ms}`), "bad-duration http[0].corsPolicy.maxAge"],
  [`{hosts: ["*.a.com"], tls: [{match: [{sniHosts: [b.a.com]}], ${to}}]}`],
  [`{hosts: [a.com], tls: [{match: [{sniHosts: [b.com]}], ${to}}]}`, "foreign-host tls[0].match[0].sniHosts[0]"],
  [`{hosts: [a.com], tls: [{match: [{port: 443}], ${to}}]}`, "missing-host tls[0].match[0]"],
  [`{hosts: [a.com], tls: [{${to}}]}`, "missing-match tls[0]"],
  ["{hosts: [a.com], tcp: [{}]}", "missing-destination tcp[0].route"],
  [
    `{hosts: [a], tcp: [{match: [{destinationSubnets: [10.0.0.0/33]}], ${to}}]}`,
    "bad-address tcp[0].match[0].destinationSubnets[0]",
  ],
]);

const policy = (settings: string): string => `{host: a, trafficPolicy: {${settings}}}`;

describeRules("DestinationRule", [
  ['{host: "*"}'],
  ['{host: "*.local", trafficPolicy: {tls: {mode: ISTIO_MUTUAL}}}'],
  ["{}", "missing-host host"],
  [policy(""), "empty-policy trafficPolicy"],
  [policy("loadBalancer: {backendUtilization: {}}"), "unsupported-field trafficPolicy.loadBalancer.backendUtilization"],
  [policy("connectionPool: {}"), "empty-policy trafficPolicy.connectionPool"],
  [
    policy("connectionPool: {tcp: {maxConnections: -1}}"),
    "negative-value trafficPolicy.connectionPool.tcp.maxConnections",
  ],
  [
    policy("connectionPool: {tcp: {connectTimeout: 0s}}"),
    "bad-duration trafficPolicy.connectionPool.tcp.connectTimeout",
  ],
  [
    policy("outlierDetection: {minHealthPercent: -1}"),
    "bad-percentage trafficPolicy.outlierDetection.minHealthPercent",
  ],
  [
    policy("outlierDetection: {outlierDetectionHttpErrorCodes: [500, 600]}"),
    "bad-status trafficPolicy.outlierDetection.outlierDetectionHttpErrorCodes[1]",
  ],
  [
    policy("outlierDetection: {consecutiveErrors: 1, consecutive5xxErrors: 2}"),
    "conflicting-fields trafficPolicy.outlierDetection.consecutiveErrors",
  ],
  [policy("loadBalancer: {consistentHash: {}}"), "missing-hash-key trafficPolicy.loadBalancer.consistentHash"],
  [policy("loadBalancer: {consistentHash: {httpHeaderName: x}}")],
  [
    policy("loadBalancer: {consistentHash: {httpCookie: {ttl: 0s}}}"),
    "missing-name trafficPolicy.loadBalancer.consistentHash.httpCookie.name",
  ],
  [
    policy("loadBalancer: {consistentHash: {httpCookie: {name: x}}}"),
    "missing-ttl trafficPolicy.loadBalancer.consistentHash.httpCookie",
  ],
  [policy("tls: {mode: MUTUAL, clientCertificate: a}"), "missing-certificate trafficPolicy.tls.privateKey"],
  [policy("tls: {mode: MUTUAL, credentialName: a}")],
  [policy("tls: {mode: MUTUAL, credentialName: a, privateKey: b}"), "conflicting-fields trafficPolicy.tls"],
  [policy("tls: {mode: ISTIO_MUTUAL, caCertificates: a}"), "conflicting-fields trafficPolicy.tls"],
  [policy("portLevelSettings: [{tls: {mode: SIMPLE}}]"), "missing-port trafficPolicy.portLevelSettings[0]"],
  [policy("portLevelSettings: [{port: {number: 80}}]"), "empty-policy trafficPolicy.portLevelSettings[0]"],
  [policy("tunnel: {protocol: GET, targetHost: a, targetPort: 1}"), "unknown-value trafficPolicy.tunnel.protocol"],
  [policy("retryBudget: {percent: 25, budgetInterval: 10s}")],
  [policy("retryBudget: {budgetInterval: 0s}"), "bad-duration trafficPolicy.retryBudget.budgetInterval"],
  ["{host: a, subsets: [{name: v1}, {name: v1}]}", "duplicate-value subsets[1].name"],
  ["{host: a, subsets: [{name: a_b}]}", "bad-name subsets[0].name"],
]);

const locality = (setting: string): string =>
  policy(`outlierDetection: {}, loadBalancer: {localityLbSetting: {${setting}}}`);
const localityPath = "trafficPolicy.loadBalancer.localityLbSetting";
const zoneAware = (setting: string): string =>
  `{host: a, trafficPolicy: {outlierDetection: {}, loadBalancer: {zoneAwareLbSetting: {${setting}}}}}`;
const zoneAwarePath = "trafficPolicy.loadBalancer.zoneAwareLbSetting";

describeRules("DestinationRule", [
  [locality('distribute: [{from: "a/*", to: {"a/b": 60, "c/*": 40}}]')],
  [locality("distribute: [{from: a, to: {b: 60, c: 30}}]"), `bad-weights ${localityPath}.distribute[0].to`],
  [locality("distribute: [{from: a, to: {b: 100, c: 0}}]"), `bad-weights ${localityPath}.distribute[0].to.c`],
  [locality('distribute: [{from: "*/b", to: {b: 100}}]'), `bad-locality ${localityPath}.distribute[0].from`],
  [
    locality('distribute: [{from: "a/*", to: {b: 100}}, {from: a/c, to: {b: 100}}]'),
    `overlapping-localities ${localityPath}.distribute[1].from`,
  ],
  [locality("failover: [{from: a, to: a}]"), `bad-failover ${localityPath}.failover[0]`],
  [zoneAware("minClusterSize: 3, failover: [{from: a, to: b}], failoverPriority: [app]")],
  [zoneAware("failover: [{from: a, to: a}]"), `bad-failover ${zoneAwarePath}.failover[0]`],
  [zoneAware("failover: [{from: a, to: b/c}]"), `bad-failover ${zoneAwarePath}.failover[0].to`],
  [
    zoneAware("failoverPriority: [app, topology.kubernetes.io/zone]"),
    `conflicting-fields ${zoneAwarePath}.failoverPriority[1]`,
  ],
  [zoneAware(`failoverPriority: [${"a,".repeat(13)}]`), `too-many-values ${zoneAwarePath}.failoverPriority`],
  [locality('failover: [{from: a, to: "b*"}]'), `bad-failover ${localityPath}.failover[0].to`],
  [
    locality("distribute: [{from: a, to: {b: 100}}], failover: [{from: a, to: b}]"),
    `conflicting-fields ${localityPath}`,
  ],
]);

const server = (fields: string): string => `{servers: [{${fields}}]}`;
const httpPort = "port: {number: 80, name: http, protocol: HTTP}";
const httpsPort = "port: {number: 443, name: https, protocol: HTTPS}";

describeRules("Gateway", [
  [server(`${httpPort}, hosts: ["*"]`)],
  [server(`${httpPort}, hosts: ["shop/*.a.com", "./b.com", "*/c.com", 10.0.0.1]`)],
  ["{}", "missing-server servers"],
  [server(httpPort), "missing-host servers[0].hosts"],
  [server(`${httpPort}, hosts: [short]`), "bad-host servers[0].hosts[0]"],
  [server(`${httpPort}, hosts: ["~/a.com"]`), "bad-host servers[0].hosts[0]"],
  [server('port: {name: a, protocol: HTTP}, hosts: ["*"]'), "bad-port servers[0].port.number"],
  [server('port: {number: 80, protocol: HTTP}, hosts: ["*"]'), "missing-name servers[0].port.name"],
  [server('port: {number: 80, name: a, protocol: HTPP}, hosts: ["*"]'), "unknown-protocol servers[0].port.protocol"],
  [`{servers: [{${httpPort}, hosts: [a.com]}, {${httpPort}, hosts: [b.com]}]}`, "duplicate-value servers[1].port.name"],
  [server(`${httpPort}, hosts: ["*"], bind: here`), "bad-address servers[0].bind"],
  [server(`${httpsPort}, hosts: ["*"]`), "missing-tls servers[0].tls"],
  [server(`${httpsPort}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: a}`)],
  [server(`${httpsPort}, hosts: ["*"], tls: {mode: PASSTHROUGH}`)],
  [
    server(`${httpsPort}, hosts: ["*"], tls: {mode: SIMPLE, serverCertificate: a}`),
    "missing-certificate servers[0].tls.privateKey",
  ],
  [
    server(`${httpsPort}, hosts: ["*"], tls: {mode: MUTUAL, serverCertificate: a, privateKey: b}`),
    "missing-certificate servers[0].tls.caCertificates",
  ],
  [server(`${httpsPort}, hosts: ["*"], tls: {mode: ISTIO_MUTUAL, privateKey: b}`), "conflicting-fields servers[0].tls"],
  [server(`${httpPort}, hosts: ["*"], tls: {httpsRedirect: true}`)],
  [server(`${httpPort}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: a}`), "useless-tls servers[0].tls"],
  [server('port: {number: 1, name: a, protocol: TCP}, hosts: ["*"], tls: {}'), "useless-tls servers[0].tls"],
]);

const entry = (fields: string): string => `{hosts: [a.com], ${fields}}`;
const ports = "ports: [{number: 80, name: http, protocol: HTTP}]";

describeRules("ServiceEntry", [
  [entry(`${ports}, resolution: STATIC, endpoints: [{address: 10.0.0.1, ports: {http: 8080}}]`)],
  [entry(`${ports}, resolution: STATIC, endpoints: [{address: "unix:///a"}]`)],
  ["{}", "missing-host hosts"],
  [entry("addresses: [300.0.0.1]"), "bad-address addresses[0]"],
  [entry("ports: [{number: 80, name: a_b}]"), "bad-name ports[0].name"],
  [entry("ports: [{number: 80}]"), "missing-name ports[0].name"],
  [entry("ports: [{number: 80, name: a, protocol: SMTP}]"), "unknown-protocol ports[0].protocol"],
  [entry(`${ports}, resolution: STATIC, endpoints: [{address: b.com}]`), "bad-address endpoints[0].address"],
  [
    entry(`${ports}, resolution: STATIC, endpoints: [{address: 10.0.0.1, ports: {web: 1}}]`),
    "unknown-port endpoints[0].ports.web",
  ],
  [entry('resolution: STATIC, endpoints: [{address: "unix:///a"}]'), "bad-address endpoints[0]"],
  [entry('resolution: DNS, endpoints: [{address: "unix:///a"}]'), "bad-address endpoints[0].address"],
  ['{hosts: ["*.a.com"], resolution: DNS}', "bad-host hosts[0]"],
  ['{hosts: ["*.a.com"], resolution: DNS, endpoints: [{address: b.com}]}'],
  [
    "{hosts: [a.com, b.com], resolution: DNS, ports: [{number: 1, name: a, protocol: TCP}]}",
    "ambiguous-hosts ports[0]",
  ],
  ["{hosts: [a.com, b.com], ports: [{number: 1, name: a, protocol: TCP}]}"],
]);

describeRules("WorkloadEntry", [
  ["{address: 10.0.0.1, ports: {http: 80}}"],
  ["{network: n}"],
  ["{}", "missing-address address"],
  ["{address: '10.0.0.0/8'}", "bad-address address"],
  ['{address: "unix:///a", ports: {http: 80}}', "bad-port ports"],
  ["{address: 10.0.0.1, ports: {http: 0}}", "bad-port ports.http"],
  ["{address: 10.0.0.1, labels: {a: 'b c'}}", "bad-label labels.a"],
]);

const listener = (number: number): string => `port: {number: ${number}, name: p, protocol: HTTP}`;

describeRules("Sidecar", [
  ['{egress: [{hosts: ["./*", "istio-system/*", "~/*", "*/a.com"]}]}'],
  ["{outboundTrafficPolicy: {mode: REGISTRY_ONLY}}"],
  ["{}", "empty-sidecar"],
  ["{egress: [{}]}", "missing-host egress[0].hosts"],
  ["{egress: [{hosts: [a.com]}]}", "bad-host egress[0].hosts[0]"],
  ['{egress: [{hosts: ["./*"]}, {hosts: ["a/*"]}]}', "misplaced-listener egress[0]"],
  [`{egress: [{hosts: ["./*"]}, {${listener(80)}, hosts: ["a/*"]}]}`, "misplaced-listener egress[0]"],
  [`{egress: [{${listener(80)}, hosts: ["./*"]}, {${listener(80)}, hosts: ["a/*"]}]}`, "duplicate-value egress[1]"],
  ['{egress: [{bind: 10.0.0.1, hosts: ["./*"]}]}'],
  ['{egress: [{bind: "unix:///a", hosts: ["./*"]}]}', "missing-port egress[0].bind"],
  [
    '{egress: [{port: {protocol: HTTP}, bind: "unix:///a", captureMode: IPTABLES, hosts: ["./*"]}]}',
    "bad-capture-mode egress[0].captureMode",
  ],
  [`{ingress: [{${listener(80)}, defaultEndpoint: "127.0.0.1:8080"}]}`],
  [`{ingress: [{${listener(80)}, defaultEndpoint: "10.0.0.1:8080"}]}`, "bad-address ingress[0].defaultEndpoint"],
  ["{ingress: [{defaultEndpoint: ':80'}]}", "missing-port ingress[0].port"],
  [`{ingress: [{${listener(80)}}, {${listener(80)}}]}`, "duplicate-value ingress[1].port"],
  [`{workloadSelector: {labels: {app: "*"}}, ingress: [{${listener(80)}}]}`, "bad-label workloadSelector.labels.app"],
]);

describeRules("MeshConfig", [
  ["{}"],
  ["{proxyListenPort: 70000}", "bad-port proxyListenPort"],
  ["{connectTimeout: 31s}", "bad-duration connectTimeout"],
  ["{protocolDetectionTimeout: 1us}", "bad-duration protocolDetectionTimeout"],
  ["{localityLbSetting: {failover: [{from: a, to: a}]}}", "bad-failover localityLbSetting.failover[0]"],
  ["{zoneAwareLbSetting: {failover: [{from: a, to: a}]}}", "bad-failover zoneAwareLbSetting.failover[0]"],
  ["{defaultHttpRetryPolicy: {attempts: -1}}", "negative-value defaultHttpRetryPolicy.attempts"],
]);

describeRules("ServiceRole", [
  ['{rules: [{services: ["*"], methods: [GET], constraints: [{key: "request.headers[a]", values: [b]}]}]}'],
  ["{}", "missing-rule rules"],
  ["{rules: [{methods: [GET], notMethods: [PUT]}]}", "conflicting-fields rules[0]"],
  ["{rules: [{ports: [1], notPorts: [2]}]}", "conflicting-fields rules[0]"],
  [
    '{rules: [{constraints: [{key: "request.headers[a]"}]}]}',
    "empty-constraint rules[0].constraints[0]",
    "grants-nothing rules[0].constraints[0]",
  ],
]);
