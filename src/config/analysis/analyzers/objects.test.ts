import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../testing/config/analysis-input.ts";

const object = (apiVersion: string, kind: string, body: string, metadata = "") => `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: a, namespace: shop, ${metadata} }
${body}
---`;

const rule = (spec: string) => object("networking.istio.io/v1", "DestinationRule", `spec: { ${spec} }`);
const entry = (spec: string, metadata = "") =>
  object("networking.istio.io/v1", "ServiceEntry", `spec: { ${spec} }`, metadata);
const filter = (spec: string) => object("networking.istio.io/v1alpha3", "EnvoyFilter", `spec: { ${spec} }`);
const service = (spec: string, metadata = "") => object("v1", "Service", `spec: { ${spec} }`, metadata);

/** The codes that one analyzer finds. */
function codesOf(analyzer: string, text: string, mesh = ""): readonly string[] {
  return findingsOf(text, { analyzer, mesh }).map((line) => line.slice(0, "IST0000".length));
}

const annotated = (kind: string, annotation: string) =>
  object(kind === "Deployment" ? "apps/v1" : "v1", kind, "", `annotations: { ${annotation} }`);

describe("an annotation", () => {
  const analyzer = "annotations.K8sAnalyzer";

  test.each([
    ["of others is none of our business", annotated("Pod", "helm.sh/hook: x"), []],
    ["of Istio has to exist", annotated("Service", "networking.istio.io/exportThree: x"), ["IST0108"]],
    ["of Istio may be anywhere", annotated("Namespace", 'galley.istio.io/analyze-suppress: "*"'), []],
    ["has its kind", annotated("Deployment", "proxy.istio.io/config: x"), ["IST0107"]],
    ["may be deprecated", annotated("Pod", 'sidecar.istio.io/inject: "true"'), ["IST0135"]],
    [
      "is replaced by a label",
      object(
        "v1",
        "Pod",
        "",
        'labels: { sidecar.istio.io/inject: "true" }, annotations: { sidecar.istio.io/inject: "true" }',
      ),
      [],
    ],
    ["has a good value", annotated("Pod", 'traffic.sidecar.istio.io/excludeOutboundPorts: "80, 443"'), []],
    ["has a bad port", annotated("Pod", "traffic.sidecar.istio.io/excludeOutboundPorts: http"), ["IST0125"]],
    ["has a bad range", annotated("Pod", "traffic.sidecar.istio.io/includeOutboundIPRanges: 10.0.0.0/33"), ["IST0125"]],
    ["has a star for all", annotated("Pod", 'traffic.sidecar.istio.io/includeOutboundIPRanges: "*"'), []],
    ["has a bad mode", annotated("Pod", "sidecar.istio.io/interceptionMode: redirect"), ["IST0125"]],
  ])("%s", (_, text, codes) => {
    expect(codesOf(analyzer, text)).toEqual(codes);
  });

  test("that is nearly one of Istio's is told", () => {
    expect(findingsOf(annotated("Service", "networking.istio.io/exportTO: x"), { analyzer })).toEqual([
      'IST0108 Service shop/a metadata.annotations["networking.istio.io/exportTO"]',
    ]);
  });
});

describe("a port of a service", () => {
  const analyzer = "service.PortNameAnalyzer";

  test.each([
    [
      "says its protocol",
      "ports: [{ port: 1, name: http }, { port: 2, name: grpc-web-x }, { port: 3, name: TCP-x }]",
      [],
    ],
    ["says it otherwise", "ports: [{ port: 1, appProtocol: https }, { port: 2, appProtocol: kubernetes.io/h2c }]", []],
    ["is not TCP", "ports: [{ port: 1, protocol: UDP }]", []],
    ["is well known", "ports: [{ port: 3306 }]", []],
    ["says nothing", "ports: [{ port: 1, name: web }, { port: 2 }]", ["IST0118", "IST0118"]],
    ["says nothing, and leads out of the mesh", "type: ExternalName, ports: [{ port: 1, name: tcp }]", ["IST0150"]],
  ])("%s", (_, spec, codes) => {
    expect(codesOf(analyzer, service(spec))).toEqual(codes);
  });

  test("of Istio itself is Istio's business", () => {
    expect(codesOf(analyzer, service("ports: [{ port: 1 }]", "labels: { istio: pilot }"))).toEqual([]);
  });
});

describe("a service entry", () => {
  const tcp = "hosts: [a.com], resolution: DNS, ports: [{ number: 1, name: tcp, protocol: TCP }]";

  test.each([
    ["with TCP needs addresses", entry(tcp), "", ["IST0134"]],
    ["with an address is fine", entry(`${tcp}, addresses: [10.0.0.1]`), "", []],
    [
      "with TLS is fine",
      entry("hosts: [a.com], resolution: DNS, ports: [{ number: 1, name: tls, protocol: TLS }]"),
      "",
      [],
    ],
    [
      "gets an address from its proxies",
      entry(tcp),
      'defaultConfig: { proxyMetadata: { ISTIO_META_DNS_CAPTURE: "true", ISTIO_META_DNS_AUTO_ALLOCATE: "true" } }',
      [],
    ],
    [
      "got an address from the cluster",
      object(
        "networking.istio.io/v1",
        "ServiceEntry",
        `spec: { ${tcp} }\nstatus: { addresses: [{ value: 240.0.0.1 }] }`,
      ),
      "",
      [],
    ],
  ])("%s", (_, text, mesh, codes) => {
    expect(codesOf("serviceentry.ProtocolAddressesAnalyzer", text, mesh)).toEqual(codes);
  });

  test.each([
    ["disagrees with another one about a port", "HTTP", "TLS", "", 2],
    ["agrees, in any case", "HTTP", "http", "", 0],
    ["disagrees where nobody sees both", "HTTP", "TLS", 'exportTo: ["."],', 0],
  ])("%s", (_, one, other, exportTo, count) => {
    const of = (namespace: string, protocol: string) => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: a, namespace: ${namespace} }
spec: { hosts: [a.com], ${exportTo} resolution: DNS, ports: [{ number: 1, name: a, protocol: ${protocol} }] }
---`;
    const analyzer = "serviceentry.ConflictingServiceEntryProtocolAnalyzer";
    expect(codesOf(analyzer, of("x", one) + of("y", other))).toHaveLength(count);
  });
});

describe("a destination rule", () => {
  test.each([
    ["verifies nobody", "trafficPolicy: { tls: { mode: SIMPLE } }", ["IST0128"]],
    [
      "verifies nobody on a port",
      "trafficPolicy: { portLevelSettings: [{ port: { number: 1 }, tls: { mode: SIMPLE } }] }",
      ["IST0129"],
    ],
    ["verifies", "trafficPolicy: { tls: { mode: SIMPLE, caCertificates: system } }", []],
    [
      "verifies by a credential, which sidecars read for the workloads that it selects",
      "workloadSelector: { matchLabels: { app: a } }, trafficPolicy: { tls: { mode: SIMPLE, credentialName: a } }",
      [],
    ],
    [
      "verifies nobody by a credential for all",
      "trafficPolicy: { tls: { mode: SIMPLE, credentialName: a } }",
      ["IST0128"],
    ],
    [
      "verifies nobody by a credential for a port of all",
      "trafficPolicy: { portLevelSettings: [{ port: { number: 1 }, tls: { mode: MUTUAL, credentialName: a } }] }",
      ["IST0129"],
    ],
    ["does not verify on purpose", "trafficPolicy: { tls: { mode: SIMPLE, insecureSkipVerify: true } }", []],
    ["leaves it to Istio", "trafficPolicy: { tls: { mode: ISTIO_MUTUAL } }", []],
  ])("%s", (_, spec, codes) => {
    expect(codesOf("destinationrule.CaCertificateAnalyzer", rule(`host: a, ${spec}`))).toEqual(codes);
  });

  const pods = `${service("selector: { app: a }, ports: [{ port: 1 }]")}${object("v1", "Pod", "", "labels: { app: a, version: v1 }")}`;

  test.each([
    ["has a subset that is there", "host: a, subsets: [{ name: v1, labels: { version: v1 } }]", []],
    ["has a subset that is not there", "host: a, subsets: [{ name: v2, labels: { version: v2 } }]", ["IST0173"]],
    [
      "has a subset by place, which no object tells",
      "host: a, subsets: [{ name: z, labels: { topology.kubernetes.io/zone: z } }]",
      [],
    ],
    [
      "has a subset of no place at all",
      'host: a, subsets: [{ name: z, labels: { topology.kubernetes.io/zone: "" } }]',
      ["IST0173"],
    ],
    ["is for nobody", "host: b", ["IST0174"]],
    ["is for whatever there is", 'host: "*.local"', []],
  ])("%s", (_, spec, codes) => {
    expect(codesOf("destinationrule.PodNotSelectedAnalyzer", pods + rule(spec))).toEqual(codes);
  });
});

const patchOf = (target: string, operation: string, more = "") =>
  filter(`${more} configPatches: [{ applyTo: ${target}, patch: { operation: ${operation}, value: { name: a } } }]`);

describe("a patch", () => {
  test.each([
    ["adds to a list", patchOf("CLUSTER", "ADD"), []],
    ["adds to routes, in vain", patchOf("HTTP_ROUTE", "ADD"), ["IST0153"]],
    ["removes from routes, in vain", patchOf("ROUTE_CONFIGURATION", "REMOVE"), ["IST0154"]],
    ["replaces what cannot be replaced", patchOf("CLUSTER", "REPLACE"), ["IST0152"]],
    ["replaces a virtual host", patchOf("VIRTUAL_HOST", "REPLACE", "priority: 10,"), []],
    ["depends on the order", patchOf("HTTP_FILTER", "INSERT_BEFORE"), ["IST0151"]],
    ["has a priority", patchOf("HTTP_FILTER", "INSERT_BEFORE", "priority: 10,"), []],
  ])("%s", (_, text, codes) => {
    expect(codesOf("envoyfilter.EnvoyPatchAnalyzer", text)).toEqual(codes);
  });

  test("depends on the order, and on the version of the proxy", () => {
    const one =
      "{ applyTo: HTTP_FILTER, match: { proxy: { proxyVersion: x } }, patch: { operation: ADD, value: { name: a } } }";
    const other = "{ applyTo: HTTP_FILTER, patch: { operation: INSERT_AFTER, value: { name: a } } }";
    expect(codesOf("envoyfilter.EnvoyPatchAnalyzer", filter(`configPatches: [${one}, ${other}]`))).toEqual(["IST0155"]);
  });
});

const telemetryOf = (spec: string) => object("telemetry.istio.io/v1", "Telemetry", `spec: { ${spec} }`);

describe("a telemetry", () => {
  test.each([
    ["logs to nobody", "accessLogging: [{}]", "", ["IST0157"]],
    ["logs to a provider", "accessLogging: [{ providers: [{ name: a }] }]", "", []],
    ["logs to the default", "accessLogging: [{}]", "defaultProviders: { accessLogging: [a] }", []],
    ["does not log", "accessLogging: [{ disabled: true }]", "", []],
  ])("%s", (_, spec, mesh, codes) => {
    expect(codesOf("telemetry.ProviderAnalyzer", telemetryOf(spec), mesh)).toEqual(codes);
  });
});

describe("what Istio has given up", () => {
  const analyzer = "deprecation.DeprecationAnalyzer";
  const route = "route: [{ destination: { host: a } }]";

  test.each([
    [
      "is told for delays",
      object(
        "networking.istio.io/v1",
        "VirtualService",
        `spec: { hosts: [a], http: [{ fault: { delay: { percent: 1, fixedDelay: 1s } }, ${route} }] }`,
      ),
      1,
    ],
    [
      "is told for egress proxies",
      object("networking.istio.io/v1", "Sidecar", "spec: { outboundTrafficPolicy: { egressProxy: { host: a } } }"),
      1,
    ],
    [
      "is told for definitions",
      object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "spec: { group: rbac.istio.io, names: { kind: ServiceRole } }",
      ),
      1,
    ],
    [
      "is not told for what replaced it",
      object(
        "networking.istio.io/v1",
        "VirtualService",
        `spec: { hosts: [a], http: [{ fault: { delay: { percentage: { value: 1 }, fixedDelay: 1s } }, ${route} }] }`,
      ),
      0,
    ],
  ])("%s", (_, text, count) => {
    expect(codesOf(analyzer, text)).toHaveLength(count);
  });
});

test("a role is for services that are there, and bindings are to roles that are there", () => {
  const role = (host: string) =>
    object("rbac.istio.io/v1alpha1", "ServiceRole", `spec: { rules: [{ services: ["${host}"], methods: [GET] }] }`);
  const here = service("ports: [{ port: 1 }]");
  const services = (host: string) => codesOf("auth.ServiceRoleServicesAnalyzer", here + role(host));
  expect(["a.shop.svc.cluster.local", "a.*", "*.local", "*"].flatMap(services)).toEqual([]);
  expect(services("b.shop.svc.cluster.local")).toEqual(["IST0101"]);
  const binding = object(
    "rbac.istio.io/v1alpha1",
    "ServiceRoleBinding",
    "spec: { subjects: [{ user: x }], roleRef: { kind: ServiceRole, name: a } }",
  );
  expect(codesOf("auth.ServiceRoleBindingAnalyzer", role("*") + binding)).toEqual([]);
  expect(codesOf("auth.ServiceRoleBindingAnalyzer", binding)).toEqual(["IST0101"]);
});

describe("an authentication policy of old", () => {
  const policy = object(
    "authentication.istio.io/v1alpha1",
    "Policy",
    "spec: { targets: [{ name: a, ports: [{ number: 1 }] }], origins: [{ jwt: { issuer: x, jwksUri: 'https://a.com' } }] }",
  );
  const ports = (text: string) => codesOf("auth.JwtAnalyzer", policy + service(`ports: [${text}]`));
  const definition = object(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "spec: { group: security.istio.io, names: { kind: PeerAuthentication } }",
  );

  test("needs HTTP where it is about tokens", () => {
    expect(ports("{ port: 1, name: http-a }")).toEqual([]);
    expect(ports("{ port: 1, name: tcp }")).toEqual(["IST0119"]);
    expect(ports("{ port: 1, name: http, protocol: UDP }")).toEqual(["IST0119"]);
    expect(ports("{ port: 1, name: http }, { port: 2, name: tcp }")).toEqual([]);
  });

  test("is no longer read where there is what replaced it", () => {
    const analyzer = "policy.DeprecatedAnalyzer";
    const forMesh = object("authentication.istio.io/v1alpha1", "MeshPolicy", "spec: {}");
    expect(codesOf(analyzer, policy + forMesh)).toEqual([]);
    expect(codesOf(analyzer, policy + forMesh + definition)).toEqual(["IST0120", "IST0121"]);
  });
});

const withStatus = (type: string, status: string, reason = "No") =>
  object(
    "security.istio.io/v1",
    "AuthorizationPolicy",
    `spec: {}\nstatus: { conditions: [{ type: ${type}, status: "${status}", reason: ${reason} }] }`,
  );

test("what the control plane did not accept is told", () => {
  const analyzer = "conditions.ConditionAnalyzer";
  expect(codesOf(analyzer, withStatus("WaypointAccepted", "False"))).toEqual(["IST0171"]);
  expect(codesOf(analyzer, withStatus("WaypointAccepted", "True"))).toEqual([]);
  expect(codesOf(analyzer, withStatus("WaypointAccepted", "True", "PartiallyInvalid"))).toEqual(["IST0171"]);
  expect(codesOf(analyzer, withStatus("Stalled", "False"))).toEqual([]);
});

test("a network has the endpoints of registries that are known", () => {
  const networks = (registry: string) =>
    object(
      "mesh.istio.io/v1alpha1",
      "MeshNetworks",
      `spec: { networks: { a: { endpoints: [{ fromRegistry: ${registry} }] } } }`,
    );
  const secret = object("v1", "Secret", "stringData: { remote: x }", 'labels: { istio/multiCluster: "true" }');
  const analyzer = "multicluster.MeshNetworksAnalyzer";
  expect(codesOf(analyzer, secret + networks("Kubernetes"))).toEqual([]);
  expect(codesOf(analyzer, secret + networks("remote"))).toEqual([]);
  expect(codesOf(analyzer, secret + networks("elsewhere"))).toEqual(["IST0126"]);
});
