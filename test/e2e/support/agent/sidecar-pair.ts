import type { Pod } from "../pod/pod.ts";
import { Agent, type AgentOptions } from "./agent.ts";
import { redirectByAgent } from "./redirect.ts";

/** The name of the control plane in its certificate. Pods find its address in their `/etc/hosts`. */
export const controlPlaneHost = "istiod.istio-system.svc";

export interface SidecarPair {
  readonly client: Agent;
  readonly server: Agent;
}

/** Sidecars of the pods `client` and `server`, which are ready. The application `app` is on port 8080 of the server. */
export async function startSidecarPair(
  pods: Readonly<Record<"istiod" | "client" | "server", Pod>>,
  optionsOf: (pod: Pod) => Promise<Partial<AgentOptions>>,
): Promise<SidecarPair> {
  const start = async (pod: Pod) => {
    trustHost(pod, pods.istiod.address);
    await redirectByAgent(pod);
    return await Agent.start(pod, {
      type: "sidecar",
      namespace: "shop",
      labels: { app: pod.name, "security.istio.io/tlsMode": "istio" },
      discoveryAddress: `${controlPlaneHost}:15012`,
      ...(await optionsOf(pod)),
    });
  };
  await pods.server.serve({ type: "http", name: "app", port: 8080 });
  const [client, server] = await Promise.all([start(pods.client), start(pods.server)]);
  await Promise.all([client.ready(), server.ready()]);
  return { client, server };
}

/** Lets the pod resolve the name of its control plane. */
export function trustHost(pod: Pod, address: string): void {
  pod.files.write("etc/hosts", `127.0.0.1 localhost\n${address} ${controlPlaneHost}\n`);
}
