import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../testing/config/analysis-input.ts";

const namespace = (name: string, labels = "") => `
{ apiVersion: v1, kind: Namespace, metadata: { name: ${name}, labels: { ${labels} } } }
---`;

const pod = (name: string, { labels = "", annotations = "", spec = "containers: [{ name: app }]" } = {}) => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: shop, labels: { ${labels} }, annotations: { ${annotations} } }
spec: { ${spec} }
---`;

const object = (apiVersion: string, kind: string, name: string, spec: string) => `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: ${name}, namespace: shop }
spec: { ${spec} }
---`;

const sidecar = (name: string, spec = "") => object("networking.istio.io/v1", "Sidecar", name, spec);
const telemetry = (name: string, spec = "") => object("telemetry.istio.io/v1", "Telemetry", name, spec);
const web = pod("web", { labels: "app: web" });

describe.each([
  [
    "sidecar.SelectorAnalyzer",
    "Sidecar",
    sidecar,
    (app: string) => `workloadSelector: { labels: { app: ${app} } }`,
    ["IST0110", "IST0111", "sidecar.SelectorAnalyzer"],
  ],
  [
    "telemetry.SelectorAnalyzer",
    "Telemetry",
    telemetry,
    (app: string) => `selector: { matchLabels: { app: ${app} } }`,
    ["IST0159", "IST0160", "telemetry.DefaultSelectorAnalyzer"],
  ],
] as const)("%s", (named, kind, make, selecting, [conflict, several, forDefaults]) => {
  const codes = (text: string, analyzer: string = named) =>
    findingsOf(text, { analyzer }).map((line) => line.split(" ").slice(0, 3).join(" "));

  test("accepts one object per workload, and one for the others", () => {
    expect(codes(web + make("a", selecting("web")) + make("rest"))).toEqual([]);
  });

  test("finds selectors that select nothing", () => {
    expect(codes(web + make("a", selecting("nobody")))).toEqual([`IST0101 ${kind} shop/a`]);
  });

  test("counts workloads outside the cluster, and future pods of a Deployment", () => {
    const entry = object("networking.istio.io/v1", "WorkloadEntry", "vm", "address: 10.0.0.1, labels: { app: vm }");
    const deployment = object("apps/v1", "Deployment", "d", "template: { metadata: { labels: { app: d } } }");
    expect(codes(web + entry + deployment + make("a", selecting("vm")) + make("b", selecting("d")))).toEqual([]);
  });

  test("finds workloads that two objects select", () => {
    const two = make("a", selecting("web")) + make("b", selecting("web"));
    expect(codes(web + two)).toEqual([`${conflict} ${kind} shop/a`, `${conflict} ${kind} shop/b`]);
  });

  test("finds two objects without a selector", () => {
    expect(codes(web + make("a") + make("b"), forDefaults)).toEqual([
      `${several} ${kind} shop/a`,
      `${several} ${kind} shop/b`,
    ]);
  });
});

test("a Sidecar has no effect in ambient mode", () => {
  const analyzer = "sidecar.SelectorAnalyzer";
  const ambient = pod("web", { labels: "app: web", annotations: "ambient.istio.io/redirection: enabled" });
  const selecting = sidecar("a", "workloadSelector: { labels: { app: web } }");
  expect(findingsOf(ambient + selecting, { analyzer })).toEqual(["IST0167 Sidecar shop/a spec.workloadSelector"]);
  expect(findingsOf(web + selecting, { analyzer })).toEqual([]);
  const mode = "istio.io/dataplane-mode: ambient";
  expect(findingsOf(namespace("shop", mode) + sidecar("a"), { analyzer })).toHaveLength(1);
  expect(findingsOf(namespace("shop", `${mode}, istio-injection: enabled`) + sidecar("a"), { analyzer })).toEqual([]);
});

describe("a namespace", () => {
  const analyzer = "injection.Analyzer";

  test.each([
    ["needs an injection label", "", ["IST0102"]],
    ["may be in it", "istio-injection: enabled", []],
    ["may be out of it", "istio-injection: disabled", []],
    ["may name a revision", "istio.io/rev: canary", []],
    ["may be in ambient mode", "istio.io/dataplane-mode: ambient", []],
    ["cannot have two injection labels", "istio-injection: enabled, istio.io/rev: canary", ["IST0123"]],
    ["that is out of it is out of it", "istio-injection: disabled, istio.io/rev: canary", []],
  ])("%s", (_, labels, codes) => {
    expect(findingsOf(namespace("shop", labels), { analyzer })).toEqual(
      codes.map((code) => `${code} Namespace shop metadata.labels`),
    );
  });

  test("of the platform needs no label", () => {
    expect(findingsOf(namespace("kube-system") + namespace("istio-system"), { analyzer })).toEqual([]);
  });
});

describe("a pod of an injected namespace", () => {
  const analyzer = "injection.Analyzer";
  const injected = namespace("shop", "istio-injection: enabled");

  test.each([
    ["needs a sidecar", {}, 1],
    ["has one", { spec: "containers: [{ name: istio-proxy, image: proxyv2 }]" }, 0],
    ["has a native one", { spec: "initContainers: [{ name: istio-proxy, image: proxyv2 }]" }, 0],
    ["may not want one, by annotation", { annotations: 'sidecar.istio.io/inject: "false"' }, 0],
    ["may not want one, by label", { labels: 'sidecar.istio.io/inject: "false"' }, 0],
    ["gets none on the network of its host", { spec: "hostNetwork: true" }, 0],
  ])("%s", (_, options, count) => {
    expect(findingsOf(injected + pod("web", options), { analyzer })).toHaveLength(count);
  });
});

const withProxy = (image: string) => ({ spec: `containers: [{ name: istio-proxy, image: "${image}" }]` });

const injectorFor = (label: string) => `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: { name: injector }
webhooks: [{ name: a.istio.io, namespaceSelector: { matchLabels: { istio-injection: ${label} } } }]
---`;

describe("the image of a sidecar", () => {
  const injector = `
apiVersion: v1
kind: ConfigMap
metadata: { name: istio-sidecar-injector, namespace: istio-system }
data: { values: '{"global":{"hub":"hub","tag":"2","proxy":{"image":"proxyv2"}}}' }
---`;
  const injected = namespace("shop", "istio-injection: enabled");

  test.each([
    ["is the injected version", pod("web", withProxy("hub/proxyv2:2")), []],
    ["is an older version", pod("web", withProxy("hub/proxyv2:1")), ["IST0158 Namespace shop metadata.name"]],
    [
      "is the variant of its namespace",
      pod("web", withProxy("hub/proxyv2:2-distroless")) +
        object("networking.istio.io/v1beta1", "ProxyConfig", "p", "image: { imageType: distroless }"),
      [],
    ],
    [
      "is the variant of the pod, regardless of its namespace",
      pod("web", {
        ...withProxy("hub/proxyv2:2-debug"),
        annotations: 'proxy.istio.io/config: "image: { imageType: debug }"',
      }) + object("networking.istio.io/v1beta1", "ProxyConfig", "p", "image: { imageType: distroless }"),
      [],
    ],
    [
      "is the variant of its workload",
      pod("web", { ...withProxy("hub/proxyv2:2-debug"), labels: "app: web" }) +
        object(
          "networking.istio.io/v1beta1",
          "ProxyConfig",
          "p",
          "selector: { matchLabels: { app: web } }, image: { imageType: debug }",
        ),
      [],
    ],
    [
      "is an unexpected variant",
      pod("web", withProxy("hub/proxyv2:2-distroless")),
      ["IST0158 Namespace shop metadata.name"],
    ],
    [
      "is set by an annotation of the pod",
      pod("web", { ...withProxy("x"), annotations: "sidecar.istio.io/proxyImage: x" }),
      [],
    ],
  ])("%s", (_, text, expected) => {
    expect(findingsOf(injector + injected + text, { analyzer: "injection.ImageAnalyzer" })).toEqual(expected);
  });

  test("must be filled in by an injector", () => {
    const analyzer = "injection.ImageAutoAnalyzer";
    const deployment = object(
      "apps/v1",
      "Deployment",
      "d",
      "template: { spec: { containers: [{ name: istio-proxy, image: auto }] } }",
    );
    expect(findingsOf(injected + deployment + injectorFor("enabled"), { analyzer })).toEqual([]);
    expect(findingsOf(injected + deployment + injectorFor("other"), { analyzer })).toHaveLength(1);
    expect(findingsOf(pod("web", withProxy("auto")), { analyzer })).toEqual(["IST0147 Pod shop/web spec.containers"]);
  });
});

const policyOf = (spec: string) => object("security.istio.io/v1", "AuthorizationPolicy", "a", spec);

describe("a policy", () => {
  const analyzer = "authz.AuthorizationPoliciesAnalyzer";
  const inMesh = namespace("shop", "istio-injection: enabled");

  test.each([
    ["selects a workload of the mesh", inMesh + web, "selector: { matchLabels: { app: web } }", []],
    [
      "selects no workload",
      inMesh + web,
      "selector: { matchLabels: { app: x } }",
      ["IST0127 AuthorizationPolicy shop/a spec.selector"],
    ],
    [
      "selects a workload without a sidecar",
      namespace("shop") + web,
      "selector: { matchLabels: { app: web } }",
      ["IST0127 AuthorizationPolicy shop/a spec.selector"],
    ],
    [
      "targets a reference",
      inMesh + web,
      "targetRefs: [{ kind: Gateway, name: a, group: gateway.networking.k8s.io }]",
      [],
    ],
    ["names an existing namespace", inMesh + web, "rules: [{ from: [{ source: { namespaces: [sh*, shop] } }] }]", []],
    [
      "names a missing namespace",
      inMesh + web,
      "rules: [{ from: [{ source: { notNamespaces: [x] } }] }]",
      ["IST0101 AuthorizationPolicy shop/a spec.rules[0].from[0].source.notNamespaces[0]"],
    ],
    [
      "names a namespace while the files have none",
      pod("web", { labels: 'sidecar.istio.io/inject: "true"' }),
      "rules: [{ from: [{ source: { namespaces: [x] } }] }]",
      [],
    ],
  ])("%s", (_, mesh, spec, expected) => {
    expect(findingsOf(mesh + policyOf(spec), { analyzer })).toEqual(expected);
  });
});

const podOfUser = (name: string) =>
  pod("web", { spec: `containers: [{ name: ${name}, securityContext: { runAsUser: 1337 } }]` });

describe("a deployment", () => {
  const analyzer = "deployment.ServiceAssociationAnalyzer";
  const mesh =
    namespace("shop", "istio-injection: enabled") +
    object("apps/v1", "Deployment", "web", "template: { metadata: { labels: { app: web } } }");
  const service = (name: string, spec: string) => object("v1", "Service", name, spec);

  test.each([
    [
      "has two services that agree",
      service("a", "selector: { app: web }, ports: [{ port: 80 }]") +
        service("b", "selector: { app: web }, ports: [{ port: 80 }]"),
      [],
    ],
    [
      "has two that disagree about a protocol",
      service("a", "selector: { app: web }, ports: [{ port: 80 }]") +
        service("b", "selector: { app: web }, ports: [{ port: 80, protocol: UDP }]"),
      ["IST0116"],
    ],
    [
      "has two that reach one port under two",
      service("a", "selector: { app: web }, ports: [{ port: 80 }]") +
        service("b", "selector: { app: web }, ports: [{ port: 81, targetPort: 80 }]"),
      ["IST0137"],
    ],
    [
      "has nothing to do with services without a selector",
      service("a", "ports: [{ port: 80 }]") + service("b", "ports: [{ port: 80, protocol: UDP }]"),
      [],
    ],
  ])("%s", (_, services, codes) => {
    expect(findingsOf(mesh + services, { analyzer })).toEqual(
      codes.map((code) => `${code} Deployment shop/web metadata.name`),
    );
  });

  test("does not run as the sidecar's user, except for the sidecar", () => {
    const uid = "deployment.ApplicationUIDAnalyzer";
    expect(findingsOf(podOfUser("app"), { analyzer: uid })).toEqual([
      "IST0144 Pod shop/web spec.containers[0].securityContext.runAsUser",
    ]);
    expect(findingsOf(podOfUser("istio-proxy"), { analyzer: uid })).toEqual([]);
  });
});
