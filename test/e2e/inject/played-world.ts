import { ControlPlane } from "../support/agent/control-plane.ts";
import { reportRunning, shopService } from "../support/agent/kube-shop.ts";
import { strictYaml } from "../support/agent/shop-world.ts";
import { trustHost } from "../support/agent/sidecar-pair.ts";
import { freePort } from "../support/free-port.ts";
import { Kube } from "../support/kube/kube.ts";
import { apply } from "../support/kube/kube-bookinfo.ts";
import type { PodManifest } from "../support/kubelet/manifest.ts";
import { PlayedPod } from "../support/kubelet/played-pod.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { forwardToMachine, forwardToPod } from "../support/pod/forward.ts";
import type { Pod } from "../support/pod/pod.ts";
import { openPodNetwork } from "../support/pod/pod-network.ts";
import { objectYaml } from "../support/yaml.ts";
import { appAddresses, clientPod, gatewayPod, serverPod } from "./played-pods.ts";
import { injectorConfiguration, installInjector, untilRegistered, webhookFiles } from "./registered-injector.ts";

const namespace = "shop";
const apiVersion = "v1";

export interface PlayedWorld {
  readonly control: ControlPlane;
  /** A pod without a proxy, which is also the place of the kubelet. */
  readonly node: Pod;
  readonly client: PlayedPod;
  readonly server: PlayedPod;
  readonly gateway: PlayedPod;
}

/**
 * Pods that a real API server has, which our webhook injected. They run with Istio's binaries and a stock Envoy. All that
 * they read comes from the API server: their manifests, tokens and root certificates.
 */
export async function openPlayedWorld(stack: AsyncDisposableStack): Promise<PlayedWorld> {
  const { pods } = stack.use(await openPodNetwork("istiod", "node", "client", "server", "gateway"));
  const [kube, webhook, port] = [stack.use(await Kube.start()), await webhookFiles(stack), await freePort()];
  stack.use(await forwardToMachine(pods.istiod, kube.port));
  await installInjector(kube, injectorConfiguration(`127.0.0.1:${port}`));
  await apply(kube, objectsFor(pods));
  const mesh = stack.use(new MeshDir({ "strict.yaml": strictYaml, ...gatewayFiles }));
  const source = ["--source", "kube:", "--kubeconfig", kube.kubeconfig("mesh"), "--token-review"];
  const authority = ["--xds-tls", "0.0.0.0:15012", "--ca", "self-signed", "--ca-state", `${webhook.folder}/ca`];
  const flags = [...source, ...authority, ...webhook.flags(`127.0.0.1:${port}`)];
  const control = await new ControlPlane(pods.istiod, mesh.path, ...flags).start();
  stack.use(await forwardToPod(pods.istiod, port));
  await untilRegistered(kube, webhook.issued, namespace);
  const play = async (pod: Pod, body: object) => {
    trustHost(pod, pods.istiod.address);
    const created = await kube.call("POST", `/api/v1/namespaces/${namespace}/pods`, body);
    if (created.status !== 201) throw new Error(`the pod is refused: ${String(created.body["message"])}`);
    const { body: stored } = await kube.call("GET", `/api/v1/namespaces/${namespace}/pods/${pod.name}`);
    const played = new PlayedPod(stored as unknown as PodManifest, { kube, pod, node: pods.node });
    await reportRunning(kube, pod.name, pod.address);
    await played.start();
    await played.ready();
    return played;
  };
  const [client, server, gateway] = await Promise.all([
    play(pods.client, clientPod),
    play(pods.server, serverPod),
    play(pods.gateway, gatewayPod),
  ]);
  return { control, node: pods.node, client, server, gateway };
}

function objectsFor(pods: Readonly<Record<"client" | "server", Pod>>): readonly object[] {
  const names = ["client", "server"] as const;
  const injected = { name: namespace, labels: { "istio-injection": "enabled" } };
  return [
    { apiVersion, kind: "Namespace", metadata: injected },
    ...[...names, "gateway"].map((name) => ({ apiVersion, kind: "ServiceAccount", metadata: { name, namespace } })),
    { apiVersion, kind: "Node", metadata: { name: "node-1" } },
    ...names.flatMap((name) =>
      shopService({ name, clusterIp: appAddresses[name], pod: name, address: pods[name].address }),
    ),
  ];
}

const gatewayFiles = {
  "gateway.yaml": objectYaml("Gateway", "gateway", {
    selector: { app: "gateway" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
  }),
  "routes.yaml": objectYaml("VirtualService", "routes", {
    hosts: ["*"],
    gateways: ["gateway"],
    http: [{ route: [{ destination: { host: "server.shop.svc.cluster.local", port: { number: 80 } } }] }],
  }),
};
