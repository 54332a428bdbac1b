import { describeRules } from "../../../testing/config/kind-rules.ts";

const jwt = (rule: string): string => `{targets: [{name: b}], origins: [{jwt: {${rule}}}]}`;

describeRules("Policy", [
  ["{targets: [{name: b, ports: [{number: 80}, {name: http}]}], peers: [{mtls: {}}]}"],
  ["{peers: [{mtls: null}]}", "bad-name metadata.name"],
  ["{targets: [{name: b.c}]}", "bad-target targets[0].name"],
  [
    "{targets: [{name: b, ports: [{number: 0}, {}]}]}",
    "bad-port targets[0].ports[0].number",
    "bad-port targets[0].ports[1]",
  ],
  [jwt("issuer: a, jwksUri: https://a.com")],
  [jwt(""), "missing-value origins[0].jwt.issuer"],
  [jwt("issuer: a, jwksUri: a"), "bad-url origins[0].jwt.jwksUri"],
  [jwt('issuer: a, audiences: [""]'), "empty-value origins[0].jwt.audiences[0]"],
  [jwt("issuer: a, triggerRules: [{excludedPaths: [{}]}]"), "missing-value origins[0].jwt.triggerRules[0]"],
  ["{targets: [{name: b}], origins: [{}]}", "missing-value origins[0].jwt"],
  [
    "{targets: [{name: b}], peers: [{jwt: {issuer: a}}], origins: [{jwt: {issuer: a}}]}",
    "duplicate-value origins[0].jwt.issuer",
  ],
]);
describeRules("Policy", [["{}"], ["{targets: [{name: b}]}", "bad-name metadata.name"]], "default");
describeRules(
  "MeshPolicy",
  [["{peers: [{mtls: {}}]}"], ["{targets: [{name: b}]}", "conflicting-fields targets"]],
  "default",
);
describeRules("MeshPolicy", [["{}", "bad-name metadata.name"]]);

const rule = (fields: string): string => `{rules: [{services: ["*"], ${fields}}]}`;

describeRules("ServiceRole", [
  [rule("methods: [GET], ports: [80]")],
  ["{}", "missing-rule rules"],
  [rule("methods: [GET], notMethods: [PUT]"), "conflicting-fields rules[0]"],
  [rule("ports: [80], notPorts: [81]"), "conflicting-fields rules[0]"],
  [rule("ports: [70000]"), "bad-port rules[0].ports[0]"],
  [
    rule("constraints: [{key: destination.ip}]"),
    "empty-constraint rules[0].constraints[0]",
    "grants-nothing rules[0].constraints[0]",
  ],
  [rule("constraints: [{key: destination.name, values: [a*]}, {key: 'request.headers[a]', values: [b]}]")],
  [rule("constraints: [{key: destination.user, values: [a]}]"), "grants-nothing rules[0].constraints[0].key"],
  [rule("constraints: [{key: a, values: [b]}]"), "grants-nothing rules[0].constraints[0].key"],
  [rule("constraints: [{key: destination.ip, values: [b]}]"), "grants-nothing rules[0].constraints[0]"],
  [
    rule("constraints: [{key: 'destination.labels[a]', values: [b, c*]}]"),
    "grants-nothing rules[0].constraints[0].values[1]",
  ],
  [
    rule("paths: [/a, '/{b}'], notPaths: ['/{*}']"),
    "grants-nothing rules[0].paths[1]",
    "grants-nothing rules[0].notPaths[0]",
  ],
  [rule("methods: ['']"), "grants-nothing rules[0].methods[0]"],
  [
    rule("ports: [80], constraints: [{key: destination.port, values: ['80']}]"),
    "conflicting-fields rules[0].constraints[0].key",
  ],
]);

const bound = (fields: string): string => `{subjects: [{user: a}], ${fields}}`;

describeRules("ServiceRoleBinding", [
  [bound("roleRef: {kind: ServiceRole, name: a}")],
  [bound("role: a")],
  [bound("actions: [{services: [a]}]")],
  ["{role: a}", "missing-subject subjects"],
  ["{subjects: [{}], role: a}", "empty-subject subjects[0]"],
  ['{subjects: [{names: ["*"]}], role: a}', "bad-wildcard subjects[0]"],
  ["{subjects: [{properties: {source.other: b}}], role: a}", 'grants-nothing subjects[0].properties["source.other"]'],
  ["{subjects: [{notNames: [allUsers]}], role: a}", "grants-nothing subjects[0].notNames"],
  ["{subjects: [{ips: [a]}], role: a}", "grants-nothing subjects[0]"],
  [
    "{subjects: [{namespaces: [b], properties: {source.namespace: b}}], role: a}",
    'conflicting-fields subjects[0].properties["source.namespace"]',
  ],
  [bound(""), "conflicting-fields"],
  [bound("role: a, roleRef: {kind: ServiceRole, name: a}"), "conflicting-fields"],
  [bound("roleRef: {kind: Role}"), "unknown-value roleRef.kind", "missing-value roleRef.name"],
  [bound("role: /"), "missing-name role"],
  [bound("actions: [{methods: [GET], notMethods: [PUT]}]"), "conflicting-fields actions[0]"],
]);

describeRules(
  "ClusterRbacConfig",
  [
    ["{mode: ON}"],
    ["{mode: ON_WITH_INCLUSION}", "missing-value inclusion"],
    ["{mode: ON_WITH_EXCLUSION}", "missing-value exclusion"],
  ],
  "default",
);
describeRules("RbacConfig", [["{mode: ON}", "bad-name metadata.name"]]);

describeRules("HTTPAPISpec", [
  ["{patterns: [{httpMethod: GET, uriTemplate: /a}], apiKeys: [{query: key}]}"],
  ["{}", "missing-value patterns"],
  ["{patterns: [{}]}", "missing-value patterns[0].httpMethod", "missing-value patterns[0].uriTemplate"],
  ["{patterns: [{httpMethod: GET, regex: ''}]}", "missing-value patterns[0].regex"],
  [
    "{patterns: [{httpMethod: GET, uriTemplate: /a, attributes: {attributes: {b: {}}}}]}",
    "missing-value patterns[0].attributes.attributes.b",
  ],
  ["{patterns: [{httpMethod: GET, uriTemplate: /a}], apiKeys: [{query: ''}]}", "missing-value apiKeys[0]"],
]);

describeRules("HTTPAPISpecBinding", [
  ["{services: [{name: a}], apiSpecs: [{name: b}]}"],
  ["{}", "missing-value services", "missing-value apiSpecs"],
  ["{services: [{name: a, service: a.b}], apiSpecs: [{name: b}]}", "conflicting-fields services[0]"],
  ["{services: [{}], apiSpecs: [{}]}", "conflicting-fields services[0]", "missing-value apiSpecs[0].name"],
  ["{services: [{name: a, namespace: b.c}], apiSpecs: [{name: b}]}", "bad-namespace services[0].namespace"],
]);

const quota = (fields: string): string => `{rules: [{${fields}, quotas: [{quota: a, charge: 1}]}]}`;

describeRules("QuotaSpec", [
  [quota("match: [{clause: {b: {exact: c}}}]")],
  ["{rules: [{quotas: [{quota: a, charge: 3000000000}]}]}"],
  ["{}", "missing-rule rules"],
  ["{rules: [{}]}", "missing-value rules[0].quotas"],
  ["{rules: [{quotas: [{}]}]}", "missing-value rules[0].quotas[0].quota", "out-of-range rules[0].quotas[0].charge"],
  [quota("match: [{clause: {b: {prefix: ''}}}]"), "missing-value rules[0].match[0].clause.b"],
]);

describeRules("QuotaSpecBinding", [
  ["{services: [{service: a.b}], quotaSpecs: [{name: a}]}"],
  ["{services: [{service: a.b}]}", "missing-value quotaSpecs"],
]);

describeRules("rule", [
  ["{match: 'true', actions: [{handler: a, instances: [b]}]}"],
  ["{colour: red}", "unknown-field colour"],
]);
describeRules("stdio", [["{anything: {goes: [1, true, null]}}"], ["text", "wrong-type"]]);
