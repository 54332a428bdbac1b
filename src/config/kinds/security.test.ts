import { describeRules } from "../../testing/config/kind-rules.ts";

describeRules("PeerAuthentication", [
  ["{}"],
  ["{selector: {matchLabels: {app: a}}, portLevelMtls: {80: {mode: STRICT}}}"],
  ['{selector: {matchLabels: {app: "*"}}}', "bad-label selector.matchLabels.app"],
  ['{selector: {matchLabels: {"": a}}}', 'bad-label selector.matchLabels[""]'],
  ["{portLevelMtls: {80: {mode: STRICT}}}", "missing-selector portLevelMtls"],
  ["{selector: {matchLabels: {app: a}}, portLevelMtls: {0: {mode: STRICT}}}", 'bad-port portLevelMtls["0"]'],
  ["{selector: {matchLabels: {app: a}}, portLevelMtls: {70000: {}}}", 'bad-port portLevelMtls["70000"]'],
  ["{selector: {matchLabels: {app: a}}, portLevelMtls: {}}", "empty-list portLevelMtls"],
  ["{mtls: {mode: SOMETIMES}}", "unknown-value mtls.mode"],
]);

const jwt = (rule: string): string => `{jwtRules: [{${rule}}]}`;

describeRules("RequestAuthentication", [
  ["{}"],
  [jwt("issuer: a, jwksUri: https://a.com/keys")],
  [jwt("jwksUri: https://a.com/keys")],
  [jwt(`issuer: a, jwks: '{"keys": []}'`)],
  [jwt("audiences: [b]"), "missing-value jwtRules[0].issuer"],
  [jwt('issuer: a, audiences: [""]'), "empty-value jwtRules[0].audiences[0]"],
  [jwt("issuer: a, jwksUri: ftp://a.com"), "bad-url jwtRules[0].jwksUri"],
  [jwt("issuer: a, jwksUri: a.com"), "bad-url jwtRules[0].jwksUri"],
  [jwt("issuer: a, jwks: keys"), "bad-jwks jwtRules[0].jwks"],
  [jwt(`issuer: a, jwks: '{"keys": []}', jwksUri: https://a.com`), "conflicting-fields jwtRules[0]"],
  [jwt('issuer: a, fromHeaders: [{name: ""}]'), "bad-header jwtRules[0].fromHeaders[0].name"],
  [jwt('issuer: a, fromParams: [""]'), "empty-value jwtRules[0].fromParams[0]"],
  [jwt('issuer: a, fromCookies: [""]'), "empty-value jwtRules[0].fromCookies[0]"],
  [
    jwt("issuer: a, outputClaimToHeaders: [{header: x y}]"),
    "missing-value jwtRules[0].outputClaimToHeaders[0].claim",
    "bad-header jwtRules[0].outputClaimToHeaders[0].header",
  ],
  [jwt("issuer: a, timeout: 0s"), "bad-duration jwtRules[0].timeout"],
  ["{targetRefs: [{kind: Service, name: a}]}"],
  ["{targetRefs: [{kind: Service}]}", "missing-value targetRefs[0].name"],
  ["{targetRef: {kind: Pod, name: a}}", "bad-target targetRef.kind"],
  ["{targetRef: {kind: Service, name: a, namespace: b}}", "bad-target targetRef.namespace"],
  ["{selector: {matchLabels: {app: a}}, targetRefs: [{kind: Service, name: a}]}", "conflicting-fields"],
]);

const from = (source: string): string => `{rules: [{from: [{source: {${source}}}]}]}`;
const to = (operation: string): string => `{rules: [{to: [{operation: {${operation}}}]}]}`;
const when = (condition: string): string => `{rules: [{when: [{${condition}}]}]}`;

describeRules("AuthorizationPolicy", [
  ["{}"],
  ["{rules: [{}]}"],
  ["{action: DENY, rules: [{}]}"],
  ["{action: DENY}", "missing-rule rules"],
  ["{action: CUSTOM, provider: {name: a}}", "missing-rule rules"],
  ["{action: CUSTOM, rules: [{}]}", "missing-value provider.name"],
  ["{action: AUDIT, provider: {name: a}}", "conflicting-fields provider"],
  [
    "{action: CUSTOM, provider: {name: a}, rules: [{from: [{source: {namespaces: [b]}}], when: [{key: source.principal, values: [c]}]}]}",
    "unsupported-field rules[0].from[0].source.namespaces",
    "unsupported-field rules[0].when[0].key",
  ],
  ["{rules: [{from: []}]}", "empty-list rules[0].from"],
  ["{rules: [{to: []}]}", "empty-list rules[0].to"],
  ["{rules: [{from: [{}]}]}", "missing-value rules[0].from[0].source"],
  ["{rules: [{to: [{}]}]}", "missing-value rules[0].to[0].operation"],
  [from(""), "empty-source rules[0].from[0].source"],
  [to(""), "empty-operation rules[0].to[0].operation"],
  [from('principals: [""]'), "empty-value rules[0].from[0].source.principals[0]"],
  [from("ipBlocks: [10.0.0.0/8, 2001:db8::1]")],
  [from("notIpBlocks: [10.0.0.0/33]"), "bad-address rules[0].from[0].source.notIpBlocks[0]"],
  [from("remoteIpBlocks: [a]"), "bad-address rules[0].from[0].source.remoteIpBlocks[0]"],
  [
    from('serviceAccounts: [a/b, c, a/b/c, "*"]'),
    ...[2, 3].map((at) => `bad-service-account rules[0].from[0].source.serviceAccounts[${at}]`),
  ],
  [from("serviceAccounts: [a], principals: [b]"), "conflicting-fields rules[0].from[0].source"],
  [
    from('trustDomains: ["a*", "*b", "a*b", a/b]'),
    "bad-wildcard rules[0].from[0].source.trustDomains[2]",
    "bad-trust-domain rules[0].from[0].source.trustDomains[3]",
  ],
  [to('ports: ["0", "65535"]')],
  [to('ports: ["65536"]'), "bad-port rules[0].to[0].operation.ports[0]"],
  [to("notPorts: [http]"), "bad-port rules[0].to[0].operation.notPorts[0]"],
  [to('paths: [/a/*, "/a/{*}/b/{**}"]')],
  [to('paths: ["/{**}/{*}"]'), "bad-path rules[0].to[0].operation.paths[0]"],
  [to('paths: ["/a{*}"]'), "bad-path rules[0].to[0].operation.paths[0]"],
  [when("values: [a]"), "missing-value rules[0].when[0].key"],
  [when("key: source.ip"), "empty-condition rules[0].when[0]"],
  [when("key: source.ip, values: [a]"), "bad-address rules[0].when[0].values[0]"],
  [when("key: destination.port, notValues: [a]"), "bad-port rules[0].when[0].notValues[0]"],
  [when("key: 'destination.labels[app]', values: [a]"), "unknown-attribute rules[0].when[0].key"],
  [when("key: destination.namespace, values: [a]"), "unknown-attribute rules[0].when[0].key"],
  [when("key: destination.user, values: [a]"), "unknown-attribute rules[0].when[0].key"],
  [when("key: source.colour, values: [a]"), "unknown-attribute rules[0].when[0].key"],
  [when("key: 'request.headers[]', values: [a]"), "unknown-attribute rules[0].when[0].key"],
  [when("key: 'request.headers[x-a]', values: [a]")],
  [when("key: 'experimental.envoy.filters.a[b]', values: [a]")],
]);
