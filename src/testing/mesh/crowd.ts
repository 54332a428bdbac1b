import { create, type JsonValue } from "@bufbuild/protobuf";
import type { Config } from "../../config/config.ts";
import { apiVersionOf, type Kind } from "../../config/kind.ts";
import { decode } from "../../config/proto-json/proto-json.ts";
import { assert } from "../../lib/assert.ts";
import { fakeConfig } from "../config/fake-config.ts";
import { Random } from "../random/random.ts";
import { sampleObject } from "../random/sample-object.ts";

/** An object without its metadata, and additional metadata. */
interface Rival {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Replaces the default name of members of a crowd. */
  readonly name?: string;
  /** The fields beside `metadata`. */
  readonly body: { readonly spec?: JsonValue; readonly [field: string]: JsonValue | undefined };
}

/**
 * Many objects of one kind that conflict: same hosts, ports, selectors and certificates. Some have overlapping
 * wildcards, and some almost agree. The objects are not validated.
 */
export function crowdOf(kind: Kind, count: number): readonly Config[] {
  const row = rivals[kind.kind];
  const rivalOf = row ?? ((index: number) => sampleRival(kind, index));
  const namespace = kind.scope === "namespace" ? "crowd" : "";
  return Array.from({ length: count }, (_, index) => {
    const { body, labels = {}, annotations = {}, name = `rival-${index}` } = rivalOf(index);
    const raw = kind.body === "object" ? body : (body.spec ?? {});
    const { message, findings } = decode(kind.schema, raw, { path: kind.kind, unknownFields: "ignored" });
    assert(message !== undefined || row === undefined, `the row can be read: ${JSON.stringify(findings)}`);
    const spec = message ?? create(kind.schema);
    const own = { kind: kind.kind, apiVersion: apiVersionOf(kind), namespace, labels, annotations, spec };
    return { ...fakeConfig({ name, version: `${index}` }), ...own };
  });
}

const app = { app: "crowd" };
const ports = [{ number: 80, name: "http", protocol: "HTTP" }];

/** Everything, one name, a wildcard of its own, and a wildcard that covers others. */
function hostsOf(index: number): string[] {
  return [["*.example.com"], ["shared.example.com"], [`*.team-${index}.example.com`], ["*"]][index % 4] ?? [];
}

/** Exported to every namespace, or to namespaces that differ per object. */
function exportsOf(index: number): string[] {
  return index % 2 === 0 ? ["*"] : [".", `elsewhere-${index % 7}`];
}

/** Most objects have the same labels. Some have others, which select the same workload. */
function labelsOf(index: number): Record<string, string> {
  return index % 5 === 4 ? { ...app, version: `v${index % 10}` } : app;
}

const podLabels = { ...app, version: "v4", istio: "ingressgateway" };
const proxy = { name: "istio-proxy", image: "auto" };

function selecting(index: number) {
  return { spec: { selector: { matchLabels: labelsOf(index) } } };
}

function serviceRole(index: number): Rival {
  return { body: { spec: { rules: [{ services: [`rival-${index}*`, "*.example.com", `none-${index}*`] }] } } };
}

function webhook(index: number): Rival {
  const expression = { key: "istio.io/rev", operator: "In", values: [`rev-${index}`, "default"] };
  const webhooks = [
    {
      name: "rev.namespace.sidecar-injector.istio.io",
      clientConfig: { url: `https://10.0.0.${index % 256}` },
      namespaceSelector: { matchExpressions: [expression] },
      objectSelector: { matchExpressions: [{ key: "sidecar.istio.io/inject", operator: "NotIn", values: ["false"] }] },
    },
  ];
  return { name: `istio-sidecar-injector-${index}`, labels: { "istio.io/rev": `rev-${index}` }, body: { webhooks } };
}

/** One row for each kind whose objects analyzers compare. Objects of other kinds are generated. */
const rivals: Readonly<Record<string, (index: number) => Rival>> = {
  Gateway: (index) => {
    const tls = { mode: "SIMPLE", credentialName: "shared" };
    const servers = [
      { port: { number: 80, name: "http", protocol: "HTTP" }, hosts: hostsOf(index) },
      { port: { number: 443, name: "https", protocol: "HTTPS" }, hosts: hostsOf(index), tls },
    ];
    const selector = index % 5 === 4 ? { istio: "ingressgateway", team: `team-${index}` } : { istio: "ingressgateway" };
    return { body: { spec: { selector, servers } } };
  },
  VirtualService: (index) => ({
    body: {
      spec: {
        hosts: [...hostsOf(index), "shared"],
        gateways: ["mesh", `rival-${(index * 7) % 1000}`, "rival-0"],
        exportTo: exportsOf(index),
        http: [
          {
            match: [{ headers: { "@request.auth.claims.group": { exact: "admin" } } }],
            route: [{ destination: { host: `a.team-${index}.example.com`, subset: "v1" } }],
          },
          { route: [{ destination: { host: "shared" } }, { destination: { host: "shared", subset: "v1" } }] },
          { delegate: { name: `none-${index}` } },
        ],
      },
    },
  }),
  DestinationRule: (index) => ({
    body: {
      spec: {
        host: hostsOf(index)[0] ?? "",
        exportTo: exportsOf(index),
        workloadSelector: { matchLabels: labelsOf(index) },
        subsets: [{ name: `v${index % 3}`, labels: { version: `v${index % 10}` } }],
        trafficPolicy: { tls: { mode: "SIMPLE", credentialName: "none" } },
      },
    },
  }),
  ServiceEntry: (index) => ({
    body: {
      spec: {
        hosts: hostsOf(index),
        exportTo: exportsOf(index),
        ports: [
          { ...ports[0], protocol: ["HTTP", "TCP", "TLS"][index % 3] ?? "" },
          { number: 81, name: "odd", protocol: `P${index}` },
        ],
        resolution: "STATIC",
        workloadSelector: { labels: labelsOf(index) },
      },
    },
  }),
  Sidecar: (index) => ({
    body: {
      spec: {
        ...(index % 3 === 0 ? {} : { workloadSelector: { labels: labelsOf(index) } }),
        egress: [{ hosts: [`*/none-${index}.example.org`, `gone-${index}/*`] }],
      },
    },
  }),
  Telemetry: (index) => {
    const body = { accessLogging: [{}], tracing: [{ providers: [{ name: `none-${index}` }] }] };
    return { body: { spec: { ...(index % 3 === 0 ? {} : selecting(index).spec), ...body } } };
  },
  WorkloadEntry: (index) => ({ labels: podLabels, body: { spec: { address: "10.0.0.1", network: `net-${index}` } } }),
  PeerAuthentication: (index) => ({ body: selecting(index) }),
  RequestAuthentication: (index) => ({
    body: { spec: { selector: { matchLabels: { ...app, none: `${index}` } }, jwtRules: [{ issuer: "a" }] } },
  }),
  AuthorizationPolicy: (index) => {
    const namespaces = [`none-${index}`, `none-${index}*`, `*none-${index}`];
    return { body: { spec: { ...selecting(index).spec, rules: [{ from: [{ source: { namespaces } }] }] } } };
  },
  WasmPlugin: (index) => ({ body: { spec: { ...selecting(index).spec, url: "oci://example.com/a" } } }),
  ProxyConfig: (index) => ({
    body: { spec: { selector: { matchLabels: { ...app, none: `${index}` } }, image: { imageType: "debug" } } },
  }),
  Service: (index) => ({
    body: {
      spec: {
        selector: app,
        ports: [
          { name: `odd-${index}`, port: 80, protocol: index % 2 === 0 ? "TCP" : "UDP", targetPort: 8080 },
          { name: `more-${index}`, port: 1000 + index, targetPort: 8080 },
        ],
      },
    },
  }),
  Pod: (index) => ({
    labels: { ...podLabels, "gateway.networking.k8s.io/gateway-name": `gateway-${index}` },
    // The search for the intended annotation is slow, but takes a constant time.
    annotations: index % 20 === 0 ? { "sidecar.istio.io/none": "a" } : {},
    body: { spec: { containers: [{ name: "istio-proxy", image: "old" }] } },
  }),
  Deployment: () => ({
    labels: { app: "istiod" },
    body: { spec: { template: { metadata: { labels: podLabels }, spec: { containers: [proxy] } } } },
  }),
  Namespace: (index) => ({
    ...(index === 0 ? { name: "crowd" } : {}),
    labels: index % 2 === 0 ? { "istio-injection": "enabled" } : { "istio.io/rev": `rev-${index}` },
    body: {},
  }),
  ConfigMap: (index) => ({
    name: index === 0 ? "istio-sidecar-injector" : `istio-sidecar-injector-rev-${index}`,
    body: { data: { values: '{"global":{"hub":"h","tag":"t","proxy":{"image":"proxyv2"}}}' } },
  }),
  MutatingWebhookConfiguration: webhook,
  ValidatingWebhookConfiguration: (index) => ({ ...webhook(index), name: `istio-validator-${index}` }),
  Policy: (index) => ({
    body: { spec: { targets: [{ name: `rival-${index % 100}`, ports: [{ name: "none" }] }], origins: [{ jwt: {} }] } },
  }),
  ServiceRole: serviceRole,
  ServiceRoleBinding: (index) => ({
    body: { spec: { roleRef: { kind: "ServiceRole", name: `none-${index}` }, subjects: [{ group: "a" }] } },
  }),
};

/** Twenty different objects: random ones may be large. */
function sampleRival(kind: Kind, index: number): Rival {
  const sample = sampleObject(kind, new Random(index % 20)) as Rival["body"];
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...body } = sample;
  return { body };
}
