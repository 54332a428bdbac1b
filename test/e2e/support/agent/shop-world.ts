import { MeshDir } from "../mesh-dir.ts";
import type { Pod } from "../pod/pod.ts";
import { openPodNetwork } from "../pod/pod-network.ts";
import { objectYaml } from "../yaml.ts";
import { Agent, type AgentOptions } from "./agent.ts";
import { ControlPlane } from "./control-plane.ts";
import { redirectByAgent } from "./redirect.ts";

const modes = ["delta", "sotw"] as const;
type Mode = (typeof modes)[number];
type Role = "gateway" | "client" | "server";
const roles: readonly Role[] = ["gateway", "client", "server"];

/** The pods of one encoding of xDS, and their agents. `app` listens on port 8080 of the server. */
type Shop = Readonly<Record<Role, { readonly pod: Pod; readonly agent: Agent }>>;

export interface ShopWorld {
  readonly control: ControlPlane;
  readonly mesh: MeshDir;
  /** The DNS server of all pods resolves every name to this address. */
  readonly upstreamAddress: string;
  /** A pod without a proxy. */
  readonly outside: Pod;
  readonly pod: (name: string) => Pod;
  /** Starts an agent with an identity of namespace `shop` and the name of its pod. */
  readonly startAgent: (pod: Pod, options: Pick<AgentOptions, "type"> & Partial<AgentOptions>) => Promise<Agent>;
  readonly shops: Readonly<Record<Mode, Shop>>;
}

/** Lets agents request the names of services (NDS) and the roots of the mesh (PCDS). */
const onDemand = { ISTIO_META_DNS_CAPTURE: "true", PROXY_CONFIG_XDS_AGENT: "true" };

const upstreamAddress = "203.0.113.7";

/** The address of the service `app` of a shop. No pod has it. */
export const serviceAddress = { delta: "10.96.0.10", sotw: "10.96.0.11" } as const;

/** The host of the service `app` of a shop. */
export function hostOf(mode: Mode): string {
  return `app-${mode}.shop.svc.cluster.local`;
}

/** The trust of a mesh: how its control plane is started, and what each agent brings along. */
export interface Identities {
  readonly flags: readonly string[];
  readonly agentOf: (
    pod: Pod,
    control: ControlPlane,
  ) => Promise<Pick<AgentOptions, "discoveryAddress"> & Partial<AgentOptions>>;
}

/** Two shops on one control plane. Sidecars accept mTLS only. */
export async function openShopWorld(
  stack: AsyncDisposableStack,
  identities: Identities,
  ...extraPods: readonly string[]
): Promise<ShopWorld> {
  const names = modes.flatMap((mode) => roles.map((role) => `${role}-${mode}` as const));
  const { pods, hub } = stack.use(await openPodNetwork<string>("istiod", "outside", ...names, ...extraPods));
  await hub.serve({ type: "dns", name: upstreamAddress, port: 53 });
  const files = modes.map((mode) => shopYaml(mode, podOf(pods, `server-${mode}`).address));
  const mesh = stack.use(new MeshDir({ ...files[0], ...files[1], "strict.yaml": strictYaml }));
  const control = await new ControlPlane(podOf(pods, "istiod"), mesh.path, ...identities.flags).start();
  const startAgent: ShopWorld["startAgent"] = async (pod, options) => {
    const identity = await identities.agentOf(pod, control);
    return await Agent.start(pod, {
      namespace: "shop",
      labels: { app: pod.name },
      ...identity,
      ...options,
      env: { ...identity.env, ...options.env },
      proxyConfig: { ...identity.proxyConfig, ...options.proxyConfig },
    });
  };
  const start = async (role: Role, mode: Mode) => {
    const pod = podOf(pods, `${role}-${mode}`);
    if (role !== "gateway") await redirectByAgent(pod, onDemand);
    if (role === "server") await pod.serve({ type: "http", name: pod.name, port: 8080 });
    const env = { ...onDemand, ISTIO_PROMETHEUS_ANNOTATIONS: JSON.stringify({ scrape: "true", port: "8080" }) };
    const agent = await startAgent(pod, { type: role === "gateway" ? "router" : "sidecar", mode, env });
    return { pod, agent };
  };
  const open = async (mode: Mode): Promise<Shop> => {
    const [gateway, client, server] = await Promise.all([
      start("gateway", mode),
      start("client", mode),
      start("server", mode),
    ]);
    await Promise.all([gateway, client, server].map(({ agent }) => agent.ready()));
    return { gateway, client, server };
  };
  const [delta, sotw] = await Promise.all([open("delta"), open("sotw")]);
  const pod = (name: string) => podOf(pods, name);
  return { control, mesh, pod, outside: pod("outside"), upstreamAddress, shops: { delta, sotw }, startAgent };
}

function podOf(pods: Readonly<Record<string, Pod>>, name: string): Pod {
  const pod = pods[name];
  if (pod === undefined) throw new Error(`there is no pod ${name}`);
  return pod;
}

/** A service of namespace `shop` with one endpoint, behind the sidecar of the service account. */
export function appYaml(name: string, address: string, serverAddress: string, account = "server"): string {
  const labels = { app: account, "security.istio.io/tlsMode": "istio" };
  return objectYaml("ServiceEntry", name, {
    hosts: [`${name}.shop.svc.cluster.local`],
    addresses: [address],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 8080 }],
    endpoints: [{ address: serverAddress, labels, serviceAccount: account }],
  });
}

/** Lets sidecars of namespace `shop` accept mTLS only. */
export const strictYaml = objectYaml("PeerAuthentication", "default", { mtls: { mode: "STRICT" } }).replace(
  "networking.istio.io",
  "security.istio.io",
);

/** A service, and a gateway in front of it. */
function shopYaml(mode: Mode, serverAddress: string): Readonly<Record<string, string>> {
  return {
    [`app-${mode}.yaml`]: appYaml(`app-${mode}`, serviceAddress[mode], serverAddress, `server-${mode}`),
    [`gateway-${mode}.yaml`]: objectYaml("Gateway", `gateway-${mode}`, {
      selector: { app: `gateway-${mode}` },
      servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
    }),
    [`routes-${mode}.yaml`]: objectYaml("VirtualService", `gateway-${mode}`, {
      hosts: ["*"],
      gateways: [`gateway-${mode}`],
      http: [{ route: [{ destination: { host: hostOf(mode) } }] }],
    }),
  };
}
