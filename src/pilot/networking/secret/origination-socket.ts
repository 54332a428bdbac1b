import { UpstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Certificates } from "../../model/certificates.ts";
import type { ClientTls } from "../../model/destination-rule.ts";
import { certificateSecret, rootsSecret } from "./agent-secret.ts";
import { fileSource } from "./file-source.ts";
import { exactNames } from "./san-matcher.ts";
import { meshTlsVersions, tlsSocket } from "./tls-socket.ts";

/** All that TLS to a destination depends on when a rule says how, in place of the mesh's certificates. */
export interface OriginationInputs {
  /** Of mode `simple` or `mutual`. */
  readonly tls: ClientTls;
  /** What the server's certificate may be called; without any, its name is not checked here. */
  readonly names: readonly string[];
  /** Decides who reads the rule's files: the agent, which notices when they change, or Envoy itself. */
  readonly certificates: Certificates;
  /** HTTP/2 without negotiation. */
  readonly http2: boolean;
}

/** Where Debian, Ubuntu, Alpine and Envoy's own images have the roots of the operating system. */
const systemRoots = "/etc/ssl/certs/ca-certificates.crt";

/**
 * The encoded transport socket. Undefined when the rule asks for what the proxy cannot have: mutual TLS without a
 * certificate and key, or a secret by name, which nobody serves to it.
 */
export function originationSocket(inputs: OriginationInputs, writer: ProtoWriter): Uint8Array | undefined {
  const { tls, http2 } = inputs;
  if (tls.credentialName !== "") return undefined;
  if (tls.mode === "mutual" && (tls.clientCertificate === "" || tls.privateKey === "")) return undefined;
  const byAgent = inputs.certificates.type === "agent";
  const context = writer.any(UpstreamTlsContextSchema, {
    commonTlsContext: {
      tlsParams: meshTlsVersions,
      alpnProtocols: http2 ? ["h2"] : [],
      ...(tls.mode === "mutual" ? ownCertificate(tls, byAgent) : undefined),
      validationContextType: tls.insecureSkipVerify ? anyServer : serverChecks(inputs, byAgent),
    },
    sni: tls.sni,
  });
  return tlsSocket(context, writer);
}

function ownCertificate({ clientCertificate, privateKey }: ClientTls, byAgent: boolean) {
  if (byAgent) return { tlsCertificateSdsSecretConfigs: [certificateSecret(clientCertificate, privateKey)] };
  return { tlsCertificates: [{ certificateChain: fileSource(clientCertificate), privateKey: fileSource(privateKey) }] };
}

const anyServer = { case: "validationContext", value: {} } as const;

function serverChecks({ tls: { caCertificates, caCrl }, names }: OriginationInputs, byAgent: boolean) {
  const checks = {
    matchSubjectAltNames: exactNames(names),
    crl: caCrl === "" ? undefined : fileSource(caCrl),
  };
  if (!byAgent) {
    const trustedCa = fileSource(caCertificates === "" ? systemRoots : caCertificates);
    return { case: "validationContext", value: { ...checks, trustedCa } } as const;
  }
  return {
    case: "combinedValidationContext",
    value: { defaultValidationContext: checks, validationContextSdsSecretConfig: rootsSecret(caCertificates) },
  } as const;
}
