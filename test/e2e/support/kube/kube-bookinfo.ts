import { eventually } from "../../../../src/testing/eventually.ts";
import type { Kube } from "./kube.ts";
import type { TestKubeObject } from "./kube-objects.ts";

const namespace = "bookinfo";
const pods = `/api/v1/namespaces/${namespace}/pods`;
export const port = 9080;

/** A pod of the shop: `reviews-v1`, or another one like it. */
export interface BookinfoPod {
  readonly name: string;
  readonly app: string;
  readonly version: string;
  readonly address: string;
}

/** The shop as Kubernetes has it: services, the node they run on, and nobody who serves yet. */
export function bookinfo(): readonly TestKubeObject[] {
  const node = {
    name: "node-1",
    labels: { "topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": "a" },
  };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "Node", metadata: node },
    ...["productpage", "details", "reviews", "ratings"].map(serviceNamed),
  ];
}

function serviceNamed(name: string): TestKubeObject {
  const spec = { selector: { app: name }, ports: [{ name: "http", port, targetPort: port }] };
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace, labels: { app: name } }, spec };
}

/** Half of what asks for reviews goes to each version that is named. */
export function versionsOfReviews(...versions: readonly string[]): readonly TestKubeObject[] {
  const host = "reviews";
  const around = { apiVersion: "networking.istio.io/v1", metadata: { name: host, namespace } };
  const subsets = ["v1", "v2", "v3"].map((version) => ({ name: version, labels: { version } }));
  const route = versions.map((subset) => ({ destination: { host, subset }, weight: 1 }));
  return [
    { ...around, kind: "DestinationRule", spec: { host, subsets } },
    { ...around, kind: "VirtualService", spec: { hosts: [host], http: [{ route }] } },
  ];
}

export function podOf(name: string, address: string): BookinfoPod {
  const [app = "", version = ""] = name.split("-");
  return { name, app, version, address };
}

/** Does what a scheduler and a kubelet would: the pod runs, has an address, and is ready. */
export async function runPod(kube: Kube, { name, app, version, address }: BookinfoPod): Promise<void> {
  const container = { name: app, image: app, ports: [{ containerPort: port }] };
  const spec = { nodeName: "node-1", serviceAccountName: `bookinfo-${app}`, containers: [container] };
  await must(kube.call("POST", pods, { metadata: { name, labels: { app, version } }, spec }));
  const conditions = [{ type: "Ready", status: "True" }];
  const status = { phase: "Running", podIP: address, podIPs: [{ ip: address }], conditions };
  await must(kube.call("PATCH", `${pods}/${name}/status`, { status }, "application/merge-patch+json"));
}

/** At once: without a kubelet nobody would confirm that it has ended. */
export async function endPod(kube: Kube, name: string): Promise<void> {
  await must(kube.call("DELETE", `${pods}/${name}?gracePeriodSeconds=0`));
}

/**
 * Resolves when controllers have seen that these, sorted, are the ready addresses of a service: at their own pace,
 * which is not ours to judge.
 */
export async function endpointsBecome(kube: Kube, service: string, addresses: readonly string[]): Promise<void> {
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  const query = `labelSelector=${encodeURIComponent(`kubernetes.io/service-name=${service}`)}`;
  const expected = addresses.join(", ");
  const isSo = async () => {
    const { body } = await kube.call("GET", `${path}?${query}`);
    const slices = body["items"] as readonly { readonly endpoints?: readonly SliceEndpoint[] }[];
    const ready = slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions.ready);
    return ready
      .flatMap((endpoint) => endpoint.addresses)
      .toSorted()
      .join(", ") === expected
      ? true
      : undefined;
  };
  await eventually(`controllers have seen ${expected} of ${service}`, isSo, { seconds: 120 });
}

interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready?: boolean };
}

/** `kubectl apply`. */
export async function apply(kube: Kube, objects: readonly object[]): Promise<void> {
  const { code, output } = await kube.kubectl(["apply", "-f", "{file}"], objects);
  if (code !== 0) throw new Error(`kubectl apply: ${output}`);
}

async function must(call: ReturnType<Kube["call"]>): Promise<void> {
  const { status, body } = await call;
  if (status >= 300) throw new Error(`refused with ${status}: ${String(body["message"])}`);
}
