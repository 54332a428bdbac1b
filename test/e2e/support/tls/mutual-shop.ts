import { objectYaml, serviceYaml } from "../yaml.ts";
import type { CertificateFiles } from "./certificates.ts";

/** A sidecar of namespace shop on its own loopback address, with certificates in files. */
export function certifiedNode(name: string, address: string, files: CertificateFiles) {
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

interface MutualShop {
  /** By which clients call the service `app`. */
  readonly port: number;
  /** Where the sidecar of its server, at 127.0.0.2, takes connections. */
  readonly inboundPort: number;
  /** Where the application itself listens. */
  readonly appPort: number;
}

/** A service whose only endpoint is behind a sidecar that can do the mesh's mTLS. */
export function mutualShop({ port, inboundPort, appPort }: MutualShop): Readonly<Record<string, string>> {
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
