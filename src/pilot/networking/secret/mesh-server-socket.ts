import { TlsParameters_TlsProtocol as TlsProtocol } from "#gen/envoy/extensions/transport_sockets/tls/v3/common_pb.js";
import { DownstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Capabilities } from "../../model/proxy/capabilities.ts";
import type { Certificates } from "../../model/proxy/certificates.ts";
import { usableCipherSuites } from "./cipher-suites.ts";
import { meshIdentity } from "./mesh-identity.ts";
import { meshTlsVersions, tlsSocket } from "./tls-socket.ts";

/** All inputs of the server's side of mesh mTLS. */
export interface MeshServerInputs {
  readonly certificates: Certificates;
  readonly mesh: MeshSettings;
  readonly capabilities: Capabilities;
  /** The protocol inside TLS. It decides which ALPN the server offers. */
  readonly protocol: "http" | "tcp";
}

const usualCipherSuites = [
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "AES256-GCM-SHA384",
  "AES128-GCM-SHA256",
];

/**
 * The encoded `envoy.config.core.v3.TransportSocket` that terminates mesh mTLS on inbound connections and lets in any
 * workload of the mesh. Undefined when the proxy has no certificates.
 */
export function meshServerSocket(inputs: MeshServerInputs, writer: ProtoWriter): Uint8Array | undefined {
  const { certificates, mesh, capabilities, protocol } = inputs;
  const exchanges = protocol === "tcp" && capabilities.tcpMetadataExchange;
  return encodeSocket([mesh, writer], { exchanges, certificates });
}

/** One encoding for all workloads. */
const encodeSocket = memoize(
  (
    [mesh, writer]: readonly [MeshSettings, ProtoWriter],
    { exchanges, certificates }: { readonly exchanges: boolean; readonly certificates: Certificates },
  ): Uint8Array | undefined => {
    const identity = meshIdentity(certificates, "server", trustDomains(mesh));
    if (identity === undefined) return undefined;
    const context = writer.any(DownstreamTlsContextSchema, {
      commonTlsContext: {
        tlsParams: parametersOf(mesh),
        // Never `istio`, which clients also offer: filter chains match it, but nobody negotiates it.
        alpnProtocols: exchanges ? ["istio-peer-exchange", "h2", "http/1.1"] : ["h2", "http/1.1"],
        ...identity,
      },
      requireClientCertificate: true,
    });
    return tlsSocket(context, writer);
  },
);

/** The mesh settings may be stricter than the default. */
function parametersOf({ meshTls: { minVersion, cipherSuites, ecdhCurves } }: MeshSettings) {
  const asked = usableCipherSuites(cipherSuites);
  return {
    ...meshTlsVersions,
    ...(minVersion === "1.3" ? { tlsMinimumProtocolVersion: TlsProtocol.TLSv1_3 } : undefined),
    cipherSuites: asked.length > 0 ? asked : usualCipherSuites,
    ecdhCurves,
  };
}

function trustDomains({ trustDomain, trustDomainAliases, foreignTrustDomains }: MeshSettings) {
  const domains = new Set([trustDomain, ...trustDomainAliases, ...foreignTrustDomains]);
  return Array.from(domains, (domain) => ({ matchPattern: { case: "prefix", value: `spiffe://${domain}/` } }) as const);
}
