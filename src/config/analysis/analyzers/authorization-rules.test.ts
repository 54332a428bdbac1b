import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const analyzer = "authz.RuleAnalyzer";
const policy = (spec: string) => objectYaml("security.istio.io/v1", "AuthorizationPolicy", `spec: ${spec}`);
const tokens = (selector: string, namespace = "shop") =>
  objectYaml("security.istio.io/v1", "RequestAuthentication", `spec: {${selector}}`).replace("shop", namespace);

const service = (ports: string) => objectYaml("v1", "Service", `spec: {selector: {app: web}, ports: [${ports}]}`);
const rule = (to: string, action = "ALLOW") =>
  policy(`{action: ${action}, selector: {matchLabels: {app: web}}, rules: [{to: [{operation: {${to}}}]}]}`);

describe("a policy that asks a provider", () => {
  const custom = policy("{action: CUSTOM, provider: {name: checker}, rules: [{}]}");
  const mesh = "extensionProviders: [{name: checker, envoyExtAuthzGrpc: {service: checker.shop, port: 9000}}]";

  test("is reported if the mesh has no such provider", () => {
    const found = ["BIN0001 AuthorizationPolicy shop/a spec.provider.name"];
    expect([findingsOf(custom, { analyzer }), findingsOf(custom, { analyzer, mesh })]).toEqual([found, []]);
  });
});

describe("a rule about tokens", () => {
  const selector = "selector: {matchLabels: {app: web}}";
  const found = ["BIN0008 AuthorizationPolicy shop/a spec.rules[1]"];

  test.each([
    ["principals", "from: [{source: {requestPrincipals: ['*']}}]"],
    ["absent principals", "from: [{source: {notRequestPrincipals: ['*']}}]"],
    ["claims", "when: [{key: 'request.auth.claims[iss]', values: [a]}]"],
  ])("with %s is reported where no RequestAuthentication applies", (_, rule) => {
    const own = policy(`{${selector}, rules: [{to: [{operation: {methods: [GET]}}]}, {${rule}}]}`);
    const with_ = (others: string) => findingsOf(own + others, { analyzer });
    expect(with_("")).toEqual(found);
    expect(with_(tokens("selector: {matchLabels: {app: api}}"))).toEqual(found);
    expect(with_(tokens("", "bank"))).toEqual(found);
    const meeting = [
      tokens(""),
      tokens("", "istio-system"),
      tokens(selector),
      tokens("selector: {matchLabels: {b: c}}"),
    ];
    expect(meeting.flatMap(with_)).toEqual([]);
  });
});

describe("a rule about HTTP", () => {
  const app = objectYaml("v1", "Pod", "spec: {containers: [{name: app, image: app}]}", "labels: {app: web}");
  const tcp = "{name: tcp, port: 9000, targetPort: 9001}";
  const http = "{name: http, port: 80}";
  const found = ["BIN0009 AuthorizationPolicy shop/a spec.rules[0]"];

  test.each([
    ["all ports are TCP", "paths: [/a]", tcp, found],
    ["all ports are TCP, for DENY", "paths: [/a]", tcp, found],
    ["the rule names the TCP port", "paths: [/a], ports: ['9001']", `${http}, ${tcp}`, found],
    ["a port is HTTP", "paths: [/a]", `${http}, ${tcp}`, []],
    ["the rule names another port", "paths: [/a], ports: ['80']", `${http}, ${tcp}`, []],
    ["the rule reads ports alone", "ports: ['9001']", tcp, []],
    ["a port does not say its protocol", "paths: [/a]", "{name: a, port: 9000}", []],
  ])("is checked where %s", (name, to, ports, expected) => {
    const action = name.endsWith("DENY") ? "DENY" : "ALLOW";
    expect(findingsOf(app + service(ports) + rule(to, action), { analyzer })).toEqual(expected);
  });

  test("is not checked for services of other workloads", () => {
    const other = service(tcp).replace("app: web", "app: api");
    expect(findingsOf(app + other + rule("paths: [/a]"), { analyzer })).toEqual([]);
  });
});
