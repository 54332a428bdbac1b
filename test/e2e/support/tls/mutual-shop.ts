import { startBinnacle } from "../binnacle/server.ts";
import { startEcho } from "../envoy/echo.ts";
import { type EnvoyOptions, type EnvoyProcess, startEnvoy } from "../envoy/envoy.ts";
import { freePort } from "../free-port.ts";
import { MeshDir } from "../mesh-dir.ts";
import { objectYaml, serviceYaml } from "../yaml.ts";
import { type IssuedFiles, TestAuthority } from "./certificates.ts";

/** A sidecar of namespace shop on its own loopback address, with certificates in files. */
export function certifiedNode(name: string, address: string, files: IssuedFiles) {
  return {
    id: `sidecar~${address}~${name}-0.shop~shop.svc.cluster.local`,
    metadata: {
      NAMESPACE: "shop",
      INSTANCE_IPS: address,
      INTERCEPTION_MODE: "NONE",
      LABELS: { app: name },
      SDS_MODE: "files",
      TLS_CERT_CHAIN: files.certificateChain,
      TLS_KEY: files.privateKey,
      TLS_ROOT_CERT: files.rootCertificates,
    },
  };
}

interface Ports {
  /** By which clients call the service `app`. */
  readonly port: number;
  /** Where the sidecar of its server, at 127.0.0.2, takes connections. */
  readonly inboundPort: number;
}

interface MutualShop extends Ports, AsyncDisposable {
  readonly mesh: MeshDir;
  /** The sidecars of the application and of who calls it. */
  readonly server: EnvoyProcess;
  readonly client: EnvoyProcess;
}

/** Two real Envoys with certificates in files, which have settled, and an application behind one of them. */
export async function openMutualShop(mode: EnvoyOptions["mode"]): Promise<MutualShop> {
  await using stack = new AsyncDisposableStack();
  const authority = stack.use(await TestAuthority.create());
  const ports = { port: await freePort(), inboundPort: await freePort() };
  const app = stack.use(await startEcho("app"));
  const mesh = stack.use(new MeshDir(yamlOf({ ...ports, appPort: app.port })));
  const { xdsPort } = stack.use(await startBinnacle({ dir: mesh.path }));
  const start = async (name: string, address: string) => {
    const node = certifiedNode(name, address, await authority.issue("shop", name));
    return stack.use(await startEnvoy({ xdsPort, mode, node }));
  };
  const server = await start("server", "127.0.0.2");
  const client = await start("client", "127.0.0.3");
  await server.settled();
  await client.settled();
  const open = stack.move();
  return { ...ports, mesh, server, client, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** A service whose only endpoint is behind a sidecar that can do the mesh's mTLS. */
function yamlOf({
  port,
  inboundPort,
  appPort,
}: Ports & { readonly appPort: number }): Readonly<Record<string, string>> {
  const ingress = {
    port: { number: inboundPort, protocol: "HTTP", name: "main" },
    bind: "127.0.0.2",
    captureMode: "NONE",
    defaultEndpoint: `127.0.0.1:${appPort}`,
  };
  const endpoint = { address: "127.0.0.2", port: inboundPort, labels: { app: "server" }, serviceAccount: "server" };
  return {
    "app.yaml": serviceYaml({ name: "app", port, endpoints: [endpoint] }),
    // The server calls nobody; without this its own outbound listeners would take the client's ports.
    "server.yaml": objectYaml("Sidecar", "server", {
      workloadSelector: { labels: { app: "server" } },
      ingress: [ingress],
      egress: [{ hosts: ["~/*"] }],
    }),
  };
}
