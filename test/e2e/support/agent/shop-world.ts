import { MeshDir } from "../mesh-dir.ts";
import type { Pod } from "../pod/pod.ts";
import { openPodNetwork } from "../pod/pod-network.ts";
import { TestAuthority } from "../tls/certificates.ts";
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
  /** A pod without a proxy. */
  readonly outside: Pod;
  readonly shops: Readonly<Record<Mode, Shop>>;
}

/** The address of the service `app` of a shop. No pod has it. */
export const serviceAddress = { delta: "10.96.0.10", sotw: "10.96.0.11" } as const;

/** The host of the service `app` of a shop. */
export function hostOf(mode: Mode): string {
  return `app-${mode}.shop.svc.cluster.local`;
}

/**
 * Two shops on one control plane. Their agents get xDS in plain text and have certificates in files. Sidecars accept
 * mTLS only.
 */
export async function openShopWorld(stack: AsyncDisposableStack): Promise<ShopWorld> {
  const names = modes.flatMap((mode) => roles.map((role) => `${role}-${mode}` as const));
  const { pods } = stack.use(await openPodNetwork("istiod", ...names));
  const authority = stack.use(await TestAuthority.create());
  const files = Object.assign({}, ...modes.map((mode) => shopYaml(mode, pods[`server-${mode}`].address))) as object;
  const strict = policyYaml("PeerAuthentication", { mtls: { mode: "STRICT" } });
  const mesh = stack.use(new MeshDir({ ...files, "strict.yaml": strict }));
  const control = await new ControlPlane(pods.istiod, mesh.path).start();
  const start = async (role: Role, mode: Mode, more: Partial<AgentOptions> = {}) => {
    const pod = pods[`${role}-${mode}`];
    if (role !== "gateway") await redirectByAgent(pod, { ISTIO_META_DNS_CAPTURE: "true" });
    if (role === "server") await pod.serve({ type: "http", name: pod.name, port: 8080 });
    const agent = await Agent.start(pod, {
      type: role === "gateway" ? "router" : "sidecar",
      discoveryAddress: control.discoveryAddress,
      namespace: "shop",
      labels: { app: pod.name },
      mode,
      certificates: await authority.issue("shop", pod.name),
      env: { ISTIO_META_DNS_CAPTURE: "true" },
      ...more,
    });
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
  return { control, mesh, outside: pods.istiod, shops: { delta, sotw } };
}

/** A service with one endpoint behind a sidecar, and a gateway in front of the service. */
function shopYaml(mode: Mode, serverAddress: string): Readonly<Record<string, string>> {
  const server = `server-${mode}`;
  const endpoint = { labels: { app: server, "security.istio.io/tlsMode": "istio" }, serviceAccount: server };
  return {
    [`app-${mode}.yaml`]: objectYaml("ServiceEntry", `app-${mode}`, {
      hosts: [hostOf(mode)],
      addresses: [serviceAddress[mode]],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 8080 }],
      endpoints: [{ address: serverAddress, ...endpoint }],
    }),
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

/** A policy of namespace `shop` named `default`. */
function policyYaml(kind: string, spec: object): string {
  return objectYaml(kind, "default", spec).replace("networking.istio.io", "security.istio.io");
}
