import type { Certificates } from "../../pilot/model/proxy/certificates.ts";
import type { ClusterClient } from "../../pilot/networking/cluster/cluster-client.ts";

export const fileCertificates: Certificates = {
  type: "files",
  certificateChain: "/certs/chain.pem",
  privateKey: "/certs/key.pem",
  rootCertificates: "/certs/root.pem",
};

/** A stock Envoy beside a workload, with certificates in files. */
export function fakeClient(changes: Partial<ClusterClient> = {}): ClusterClient {
  return {
    type: "sidecar",
    certificates: fileCertificates,
    capabilities: { alpn: false, httpPeerMetadata: false, tcpMetadataExchange: false, stats: false },
    families: "v4",
    ...changes,
  };
}
