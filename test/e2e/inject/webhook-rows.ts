/** ProxyConfigs of every level, with two of the same level. The older one is named first. */
export const proxyConfigYaml = [
  proxyConfig("istio-system", "mesh-wide", 2020, {
    concurrency: 2,
    environmentVariables: { LEVEL: "mesh", ROOT: "1" },
  }),
  proxyConfig("istio-system", "younger", 2021, { image: { imageType: "debug" } }),
  proxyConfig("bank", "namespace", 2020, { environmentVariables: { LEVEL: "namespace", NAMESPACE: "1" } }),
  proxyConfig("bank", "own", 2020, {
    selector: { matchLabels: { app: "ledger" } },
    concurrency: 4,
    environmentVariables: { LEVEL: "own" },
    image: { imageType: "distroless" },
  }),
  proxyConfig("bank", "own-younger", 2021, { selector: { matchLabels: { app: "ledger" } }, concurrency: 5 }),
].join("---\n");

function proxyConfig(namespace: string, name: string, year: number, spec: object): string {
  const metadata = { name, namespace, creationTimestamp: `${year}-01-01T00:00:00Z` };
  return `${JSON.stringify({ apiVersion: "networking.istio.io/v1beta1", kind: "ProxyConfig", metadata, spec })}\n`;
}

interface PodFields {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly container?: object;
}

function pod({ labels = { app: "web" }, annotations = {}, spec = {}, container = {} }: PodFields): object {
  const app = { name: "app", image: "shop/app", ports: [{ name: "http", containerPort: 8080 }], ...container };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web-0", labels, annotations },
    spec: { serviceAccountName: "web", containers: [app], ...spec },
  };
}

function annotated(annotations: Readonly<Record<string, string>>): object {
  return pod({ annotations });
}

function labelled(labels: Readonly<Record<string, string>>): object {
  return pod({ labels });
}

/** A pod that a controller creates. */
function ownedBy(
  kind: string,
  apiVersion: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): object {
  const { metadata, ...rest } = pod({ labels }) as { readonly metadata: object };
  const ownerReferences = [{ apiVersion, kind, name, uid: "1", controller: true }];
  return { ...rest, metadata: { ...metadata, name: undefined, generateName: `${name}-`, ownerReferences } };
}

/** A value of each annotation that the injection reads, other than the default. */
export const annotationValues: Readonly<Record<string, string>> = {
  "inject.istio.io/templates": "sidecar,gateway",
  "istio.io/reroute-virtual-interfaces": "veth0,veth1",
  "prometheus.istio.io/merge-metrics": "false",
  "proxy.istio.io/config":
    "{terminationDrainDuration: 9s, tracing: {sampling: 5}, proxyStatsMatcher: {inclusionPrefixes: [a]}}",
  "readiness.status.sidecar.istio.io/failureThreshold": "9",
  "readiness.status.sidecar.istio.io/initialDelaySeconds": "7",
  "readiness.status.sidecar.istio.io/periodSeconds": "5",
  "sidecar.istio.io/agentLogLevel": "default:debug",
  "sidecar.istio.io/bootstrapOverride": "my-bootstrap",
  "sidecar.istio.io/capNetBindService": "true",
  "sidecar.istio.io/componentLogLevel": "http:debug",
  "sidecar.istio.io/inject": "true",
  "sidecar.istio.io/interceptionMode": "TPROXY",
  "sidecar.istio.io/logLevel": "trace",
  "sidecar.istio.io/nativeSidecar": "true",
  "sidecar.istio.io/proxyCPU": "50m",
  "sidecar.istio.io/proxyCPULimit": "500m",
  "sidecar.istio.io/proxyImage": "corp/proxy:1",
  "sidecar.istio.io/proxyImageType": "distroless",
  "sidecar.istio.io/proxyMemory": "64Mi",
  "sidecar.istio.io/proxyMemoryLimit": "256Mi",
  "sidecar.istio.io/rewriteAppHTTPProbers": "false",
  "sidecar.istio.io/userVolume": '{"mine":{"emptyDir":{}}}',
  "sidecar.istio.io/userVolumeMount": '{"mine":{"mountPath":"/mine"}}',
  "status.sidecar.istio.io/port": "15030",
  "traffic.sidecar.istio.io/excludeInboundPorts": "22,23",
  "traffic.sidecar.istio.io/excludeInterfaces": "eth1",
  "traffic.sidecar.istio.io/excludeOutboundIPRanges": "10.1.0.0/16",
  "traffic.sidecar.istio.io/excludeOutboundPorts": "25",
  "traffic.sidecar.istio.io/includeInboundPorts": "8080",
  "traffic.sidecar.istio.io/includeOutboundIPRanges": "10.0.0.0/8",
  "traffic.sidecar.istio.io/includeOutboundPorts": "443",
  "traffic.sidecar.istio.io/kubevirtInterfaces": "veth2",
};

/** The agent serves metrics and probes at the port that the pod chooses, and Prometheus must find it. */
const statusPort = [/prometheus\.io\/port/u];

const listedForAnnotations: Readonly<Record<string, readonly RegExp[]>> = {
  "status.sidecar.istio.io/port": statusPort,
};

const probes = {
  readinessProbe: { httpGet: { path: "/ready", port: "http" }, timeoutSeconds: 3 },
  livenessProbe: { tcpSocket: { port: 8080 } },
  startupProbe: { grpc: { port: 9001 } },
  lifecycle: { preStop: { httpGet: { path: "/stop", port: 8080 } } },
};

const configAnnotation = "proxy.istio.io/config";
const ledger = { app: "ledger" };
const ownProxy = {
  name: "istio-proxy",
  image: "auto",
  resources: { limits: { cpu: "3" } },
  env: [{ name: "A", value: "b" }],
};

/** The subject, the listed differences, the namespace and the pod. */
export const podRows: readonly (readonly [string, readonly RegExp[], string, object])[] = [
  ["the mesh-wide ProxyConfig", [], "shop", pod({})],
  ["a ProxyConfig of the namespace", [], "bank", pod({})],
  ["a ProxyConfig that selects the pod", [], "bank", labelled(ledger)],
  [
    "an annotation over a ProxyConfig of the namespace",
    [],
    "bank",
    annotated({ [configAnnotation]: "{concurrency: 7, proxyMetadata: {LEVEL: pod}}" }),
  ],
  [
    "an annotation below a ProxyConfig that selects the pod",
    [],
    "bank",
    pod({ labels: ledger, annotations: { [configAnnotation]: "{concurrency: 7, image: {imageType: debug}}" } }),
  ],
  [
    "a status port in the annotation",
    [...statusPort, /istio-init\.args/u],
    "shop",
    annotated({ [configAnnotation]: "statusPort: 15030" }),
  ],
  ...Object.entries(annotationValues).map(
    ([name, value]) =>
      [
        `${name}: ${value}`,
        listedForAnnotations[name] ?? [],
        "shop",
        pod({ annotations: { [name]: value }, container: probes }),
      ] as const,
  ),
  ["the label security.istio.io/tlsMode", [], "shop", labelled({ "security.istio.io/tlsMode": "disabled" })],
  ["canonical names", [], "shop", labelled({ "app.kubernetes.io/name": "n", "app.kubernetes.io/version": "v2" })],
  [
    "own canonical names",
    [],
    "shop",
    labelled({ "service.istio.io/canonical-name": "c", "service.istio.io/canonical-revision": "r" }),
  ],
  ["a workload name", [], "shop", labelled({ "service.istio.io/workload-name": "w" })],
  ["a network", [], "shop", labelled({ "topology.istio.io/network": "n1" })],
  ["a Deployment", [], "shop", ownedBy("ReplicaSet", "apps/v1", "web-5d4f8c7b9", { "pod-template-hash": "5d4f8c7b9" })],
  ["a ReplicaSet alone", [], "shop", ownedBy("ReplicaSet", "apps/v1", "web")],
  ["a CronJob", [], "shop", ownedBy("Job", "batch/v1", "report-28123456")],
  ["a StatefulSet", [], "shop", ownedBy("StatefulSet", "apps/v1", "db")],
  ["an own istio-proxy container", [], "shop", pod({ spec: { containers: [{ name: "app", image: "a" }, ownProxy] } })],
  [
    "a gateway",
    [],
    "shop",
    pod({ annotations: { "inject.istio.io/templates": "gateway" }, spec: { containers: [ownProxy] } }),
  ],
  ["init containers", [], "shop", pod({ spec: { initContainers: [{ name: "i", image: "i", resources: {} }] } })],
  [
    "init containers of a native sidecar",
    [],
    "shop",
    pod({
      annotations: { "sidecar.istio.io/nativeSidecar": "true" },
      spec: { initContainers: [{ name: "i", image: "i", resources: {} }] },
    }),
  ],
  [
    "metrics of the application",
    [],
    "shop",
    annotated({ "prometheus.io/port": "9090", "prometheus.io/path": "/m", "prometheus.io/scrape": "true" }),
  ],
];

/** Pods that both leave without a proxy. */
export const skippedRows: readonly (readonly [string, string, object])[] = [
  ["the network of the node", "shop", pod({ spec: { hostNetwork: true } })],
  ["a label false", "shop", labelled({ "sidecar.istio.io/inject": "false" })],
  ["an annotation false", "shop", annotated({ "sidecar.istio.io/inject": "false" })],
  ["a namespace of Kubernetes", "kube-system", pod({})],
];

/** Pods that both refuse. */
export const refusedRows: readonly (readonly [string, string])[] = [
  ["traffic.sidecar.istio.io/includeInboundPorts", "x"],
  ["traffic.sidecar.istio.io/excludeInboundPorts", "99999"],
  ["traffic.sidecar.istio.io/includeOutboundIPRanges", "10.0.0.0"],
  ["sidecar.istio.io/interceptionMode", "MAGIC"],
  ["readiness.status.sidecar.istio.io/periodSeconds", "soon"],
  ["status.sidecar.istio.io/port", "no"],
  ["proxy.istio.io/config", "{concurrency: many}"],
  ["inject.istio.io/templates", "none-of-them"],
  ["sidecar.istio.io/proxyCPU", "much"],
  ["sidecar.istio.io/userVolume", "{"],
];
