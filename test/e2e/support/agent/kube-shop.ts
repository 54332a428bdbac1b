import type { Kube } from "../kube/kube.ts";
import { apply } from "../kube/kube-bookinfo.ts";
import { openDefinition } from "../kube/kube-objects.ts";
import type { Pod } from "../pod/pod.ts";

const namespace = "shop";
const apiVersion = "v1";

/** The address of the service `app`. No pod has it. */
export const appAddress = "10.96.0.10";

/** A shop as Kubernetes has it: pods with accounts of their names, and the service `app` of the server. */
export async function openKubeShop(kube: Kube, client: Pod, server: Pod): Promise<void> {
  const names = { kind: "PeerAuthentication", plural: "peerauthentications", group: "security.istio.io" };
  await kube.define([openDefinition(names)]);
  const app = { name: "app", clusterIp: appAddress, pod: "server-0", address: server.address };
  await apply(kube, [...basics(), ...shopService(app), strict]);
  for (const pod of [client, server]) await runPod(kube, pod);
}

/** The token that Kubernetes would mount into the pod. */
export async function tokenOf(kube: Kube, account: string): Promise<string> {
  const request = { spec: { audiences: ["istio-ca"], expirationSeconds: 3600 } };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const { body } = await kube.call("POST", path, request);
  return (body["status"] as { readonly token: string }).token;
}

/** Does what a scheduler and a kubelet would: the pod runs, has an address, and is ready. */
async function runPod(kube: Kube, { name, address }: Pod): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const labels = { app: name, "security.istio.io/tlsMode": "istio" };
  const spec = { nodeName: "node-1", serviceAccountName: name, containers: [{ name: "app", image: "app" }] };
  await kube.call("POST", path, { metadata: { name: `${name}-0`, labels }, spec });
  await reportRunning(kube, `${name}-0`, address);
}

/** Tells the API server that a pod runs, as a kubelet does. */
export async function reportRunning(kube: Kube, pod: string, address: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/status`;
  const conditions = [{ type: "Ready", status: "True" }];
  const status = { phase: "Running", podIP: address, podIPs: [{ ip: address }], conditions };
  await kube.call("PATCH", path, { status }, "application/merge-patch+json");
}

function basics(): readonly object[] {
  return [
    ...["istio-system", namespace].map((name) => ({ apiVersion, kind: "Namespace", metadata: { name } })),
    ...["client", "server"].map((name) => ({ apiVersion, kind: "ServiceAccount", metadata: { name, namespace } })),
    { apiVersion, kind: "Node", metadata: { name: "node-1" } },
  ];
}

interface ShopService {
  readonly name: string;
  readonly clusterIp: string;
  /** Its only pod. */
  readonly pod: string;
  readonly address: string;
}

/** A service with one endpoint, as controllers would write it. */
export function shopService({ name, clusterIp, pod, address }: ShopService): readonly object[] {
  const ports = [{ name: "http", port: 80, targetPort: 8080 }];
  const targetRef = { kind: "Pod", name: pod, namespace };
  const endpoint = { addresses: [address], conditions: { ready: true }, targetRef, nodeName: "node-1" };
  return [
    { apiVersion, kind: "Service", metadata: { name, namespace }, spec: { clusterIP: clusterIp, ports } },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-1`, namespace, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: [endpoint],
      ports: [{ name: "http", port: 8080 }],
    },
  ];
}

const strict = {
  apiVersion: "security.istio.io/v1",
  kind: "PeerAuthentication",
  metadata: { name: "default", namespace },
  spec: { mtls: { mode: "STRICT" } },
};
