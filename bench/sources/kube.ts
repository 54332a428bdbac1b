import { Kube } from "../../test/e2e/support/kube/kube.ts";
import { type BenchedRegistry, forEach, instanceAddress } from "./registry.ts";

const slices = "/apis/discovery.k8s.io/v1/namespaces/bench/endpointslices";

/** Services and EndpointSlices of a Kubernetes API server, without controllers. */
export async function kubeRegistry(): Promise<BenchedRegistry> {
  const kube = await Kube.start();
  const post = async (path: string, body: object) => {
    const { status } = await kube.call("POST", path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${status}`);
  };
  await post("/api/v1/namespaces", { metadata: { name: "bench" } });
  return {
    source: "kube:",
    flags: ["--kubeconfig", kube.kubeconfig("admin")],
    fill: (services) =>
      forEach(services, 16, async (service) => {
        const name = `service-${service}`;
        const spec = { ports: [{ name: "http", port: 80 }] };
        await post("/api/v1/namespaces/bench/services", { metadata: { name }, spec });
        await post(slices, {
          metadata: { name, labels: { "kubernetes.io/service-name": name } },
          addressType: "IPv4",
          ports: [{ name: "http", port: 80 }],
          endpoints: endpointsAt(instanceAddress(service)),
        });
      }),
    async flip(service, address) {
      const patch = { endpoints: endpointsAt(address) };
      await kube.call("PATCH", `${slices}/service-${service}`, patch, "application/merge-patch+json");
    },
    clusterOf: (service) => `outbound|80||service-${service}.bench.svc.cluster.local`,
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}

function endpointsAt(address: string): readonly object[] {
  return [{ addresses: [address], conditions: { ready: true } }];
}
