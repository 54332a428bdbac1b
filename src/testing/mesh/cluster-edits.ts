import fc from "fast-check";
import type { WrittenObject } from "./written-objects.ts";

/** One edit of a small cluster: an object to write, or to take away. */
export interface ClusterEdit {
  /** A Kubernetes object, or a mesh configuration where `kind` is absent. */
  readonly object: ClusterObject;
  readonly deleted: boolean;
}

interface ClusterObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const namespace = fc.constantFrom("a", "a", "a", "b");
const serviceName = fc.constantFrom("one", "one", "two");
const address = fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3");
const podName = fc.constantFrom("p", "q");
const nodeName = fc.constantFrom("m", "n");
const hostname = fc.constantFrom("a.b.example", "a.b.example", "a-b.example", "a-b.example", "");

function object(
  apiVersion: string,
  kind: string,
  name: fc.Arbitrary<string>,
  body: fc.Arbitrary<object>,
  metadata = {},
) {
  return fc.record({ name, namespace, body, metadata: fc.record(metadata) }).map(({ body: fields, ...meta }) => ({
    apiVersion,
    kind,
    metadata: { name: meta.name, namespace: meta.namespace, ...meta.metadata },
    ...fields,
  }));
}

const port = fc.constantFrom(
  { name: "http", port: 80, targetPort: 8080 },
  { name: "admin", port: 81, targetPort: "admin" },
  { port: 82 },
);

const service = object(
  "v1",
  "Service",
  serviceName,
  fc
    .record({
      clusterIP: fc.constantFrom("10.9.0.1", "None", ""),
      ports: fc.uniqueArray(port, { selector: (each) => each.port }),
      external: fc.boolean(),
    })
    .map(({ external, ...spec }) => ({
      spec: external ? { ...spec, type: "ExternalName", externalName: "example.com" } : spec,
    })),
  { labels: fc.constantFrom({}, { "istio.io/persistent-session": "x" }) },
);

const endpoints = object(
  "v1",
  "Endpoints",
  serviceName,
  fc
    .record({ addresses: fc.array(address), notReadyAddresses: fc.array(address), name: fc.constantFrom("http", "") })
    .map(({ addresses, notReadyAddresses, name }) => ({
      subsets: [
        {
          addresses: addresses.map((ip) => ({ ip })),
          notReadyAddresses: notReadyAddresses.map((ip) => ({ ip })),
          ports: [{ name, port: 8080 }],
        },
      ],
    })),
);

const sliceEndpoint = fc.record({
  addresses: address.map((each) => [each]),
  targetRef: fc.record({ kind: fc.constant("Pod"), name: podName, namespace }),
  conditions: fc.record({ ready: fc.boolean(), serving: fc.boolean(), terminating: fc.boolean() }),
});

const slice = object(
  "discovery.k8s.io/v1",
  "EndpointSlice",
  fc.constantFrom("s", "t"),
  fc.record({
    addressType: fc.constantFrom("IPv4", "IPv4", "FQDN"),
    ports: fc.constant([{ name: "http", port: 8080 }]),
    endpoints: fc.array(sliceEndpoint, { maxLength: 3 }),
  }),
  { labels: serviceName.map((name) => ({ "kubernetes.io/service-name": name })) },
);

const pod = object(
  "v1",
  "Pod",
  podName,
  fc.record({
    spec: fc.record({ nodeName, serviceAccountName: fc.constantFrom("x", "y") }),
    status: fc.record({ phase: fc.constantFrom("Running", "Running", "Failed"), podIP: address }),
  }),
  { labels: fc.constantFrom({ v: "1" }, { v: "2" }) },
);

const node = object("v1", "Node", nodeName, fc.constant({}), {
  namespace: fc.constant(""),
  labels: fc.constantFrom({ "topology.kubernetes.io/region": "eu" }, { "failure-domain.beta.kubernetes.io/zone": "z" }),
});

const ingressClass = object(
  "networking.k8s.io/v1",
  "IngressClass",
  fc.constant("c"),
  fc.constantFrom("istio.io/ingress-controller", "other").map((controller) => ({ spec: { controller } })),
  { namespace: fc.constant("") },
);

const annotated = {
  namespace: fc.constantFrom("a", "b"),
  annotations: fc.constantFrom<object>(
    {},
    { "kubernetes.io/ingress.class": "istio" },
    { "kubernetes.io/ingress.class": "x" },
  ),
  creationTimestamp: fc.constantFrom("2021-01-01T00:00:00Z", "2022-01-01T00:00:00Z"),
};
const path = fc.constantFrom("/", "/a", "/b/*");
const ingressName = fc.constantFrom("i", "j");

function rulesWith(backend: fc.Arbitrary<object>) {
  const rule = fc
    .record({ host: hostname, path, backend })
    .map((each) => ({ host: each.host, http: { paths: [{ path: each.path, backend: each.backend }] } }));
  return fc.array(rule, { minLength: 1, maxLength: 2 });
}

const ingress = object(
  "networking.k8s.io/v1",
  "Ingress",
  ingressName,
  fc
    .record(
      {
        rules: rulesWith(
          fc.constantFrom(
            { service: { name: "one", port: { number: 80 } } },
            { service: { name: "two", port: { name: "http" } } },
            { service: { name: "one", port: { name: "admin" } } },
          ),
        ),
        ingressClassName: fc.constant("c"),
      },
      { requiredKeys: ["rules"] },
    )
    .map((spec) => ({ spec })),
  annotated,
);

const oldIngress = object(
  "extensions/v1beta1",
  "Ingress",
  ingressName,
  rulesWith(fc.constantFrom({ serviceName: "one", servicePort: 80 }, { serviceName: "two", servicePort: "http" })).map(
    (rules) => ({ spec: { rules } }),
  ),
  annotated,
);

const namespaceObject = object("v1", "Namespace", namespace, fc.constant({}), {
  namespace: fc.constant(""),
  labels: fc.constantFrom({}, { mesh: "on" }, { mesh: "on" }),
});

const serviceSettings = fc.constantFrom<ClusterObject>(
  {},
  { trustDomain: "example.org" },
  { trustDomain: "example.net" },
  { discoverySelectors: [{ matchLabels: { mesh: "on" } }] },
);
const ingressSettings = fc.constantFrom<ClusterObject>(
  {},
  { ingressClass: "x" },
  { ingressControllerMode: "DEFAULT" },
  { ingressControllerMode: "OFF" },
  { ingressSelector: "mine" },
);

/** An object of a cluster of any kind that shapes what proxies get. */
export const clusterObject: fc.Arbitrary<WrittenObject> = fc.oneof(
  service,
  endpoints,
  slice,
  pod,
  node,
  ingress,
  ingress,
  ingressClass,
  oldIngress,
);

/** Batches of edits, each applied as one. */
function histories(...objects: readonly fc.WeightedArbitrary<ClusterObject>[]) {
  const edit = fc.record({ object: fc.oneof(...objects), deleted: fc.nat(2).map((chance) => chance === 0) });
  return fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 16 });
}

type Histories = fc.Arbitrary<readonly (readonly ClusterEdit[])[]>;

/** Of services and everything that stands behind them. */
export const serviceEdits: Histories = histories(
  { weight: 3, arbitrary: service },
  { weight: 2, arbitrary: endpoints },
  { weight: 3, arbitrary: slice },
  { weight: 3, arbitrary: pod },
  { weight: 2, arbitrary: node },
  { weight: 2, arbitrary: namespaceObject },
  { weight: 2, arbitrary: serviceSettings },
);

/** Of Ingresses and what decides about them. */
export const ingressEdits: Histories = histories(
  { weight: 3, arbitrary: ingress },
  { weight: 2, arbitrary: ingressClass },
  { weight: 2, arbitrary: service },
  { weight: 1, arbitrary: ingressSettings },
);

/** Of Ingresses as they were before v1. */
export const oldIngressEdits: Histories = histories(
  { weight: 4, arbitrary: oldIngress },
  { weight: 1, arbitrary: ingressSettings },
);

/** Of everything in a cluster that shapes what proxies get. */
export const clusterEdits: Histories = histories(
  { weight: 4, arbitrary: service },
  { weight: 2, arbitrary: endpoints },
  { weight: 4, arbitrary: slice },
  { weight: 3, arbitrary: pod },
  { weight: 1, arbitrary: node },
  { weight: 2, arbitrary: ingress },
  { weight: 1, arbitrary: ingressClass },
  { weight: 2, arbitrary: oldIngress },
);
