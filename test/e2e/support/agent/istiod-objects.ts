import type { TestKubeObject } from "../kube/kube-objects.ts";

const namespace = "istio-system";
const labels = { app: "istiod", istio: "pilot" };
const registration = "admissionregistration.k8s.io/v1";

/** The objects beside an istiod, as its installation writes them. The namespace is there. */
export const istiodObjects: readonly TestKubeObject[] = [
  configMap("istio", { mesh: "trustDomain: cluster.local\nenableAutoMtls: true\n", meshNetworks: "networks: {}\n" }),
  configMap("istio-sidecar-injector", { config: "", values: JSON.stringify({ global: { hub: "istio" } }) }),
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "istiod", namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "discovery", image: "pilot" }] } },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "istiod", namespace },
    spec: {
      selector: labels,
      ports: [
        { name: "grpc-xds", port: 15_010 },
        { name: "https-dns", port: 15_012 },
        { name: "https-webhook", port: 443, targetPort: 15_017 },
        { name: "http-monitoring", port: 15_014 },
      ],
    },
  },
  {
    apiVersion: registration,
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "istio-sidecar-injector", labels: { "istio.io/rev": "default" } },
    webhooks: [webhook("namespace.sidecar-injector.istio.io", "/inject", "pods")],
  },
  {
    apiVersion: registration,
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: `istio-validator-${namespace}`, labels: { "istio.io/rev": "default" } },
    webhooks: [webhook("rev.validation.istio.io", "/validate", "gateways", "networking.istio.io")],
  },
];

function configMap(name: string, data: Readonly<Record<string, string>>): TestKubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

/** For namespaces that ask for it. None of the test does, because the API server cannot reach a Service here. */
function webhook(name: string, path: string, resource: string, apiGroup = ""): object {
  return {
    name,
    clientConfig: { service: { name: "istiod", namespace, path, port: 443 } },
    rules: [{ apiGroups: [apiGroup], apiVersions: ["v1"], operations: ["CREATE"], resources: [resource] }],
    namespaceSelector: { matchLabels: { "istio-injection": "enabled" } },
    failurePolicy: "Fail",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
}
