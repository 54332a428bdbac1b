import { UpstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { TlsDefaults } from "../../model/mesh-settings.ts";
import type { Certificates } from "../../model/proxy/certificates.ts";
import type { ClientTls } from "../../model/traffic/destination-rule.ts";
import { certificateSecret, rootsSecret } from "./agent-secret.ts";
import { usableCipherSuites } from "./cipher-suites.ts";
import { credentialRoots, credentialSecret } from "./credential-secret.ts";
import { fileSource } from "./file-source.ts";
import { exactNames } from "./peer-names.ts";
import { meshTlsVersions, tlsSocket } from "./tls-socket.ts";

/** All that TLS to a destination depends on when a rule says how, in place of the mesh's certificates. */
export interface OriginationInputs {
  /** Of mode `simple` or `mutual`. */
  readonly tls: ClientTls;
  /** SANs that the server's certificate may have; an empty list checks no SAN here. */
  readonly names: readonly string[];
  /** Decides who reads the rule's files: the agent, which notices when they change, or Envoy itself. */
  readonly certificates: Certificates;
  /** HTTP/2 without negotiation. */
  readonly http2: boolean;
  /** The proxy may ask for secrets by name. */
  readonly credentials: boolean;
  readonly defaults: TlsDefaults;
}

/** The system's CA certificates in Debian, Ubuntu, Alpine and Envoy's own images. */
const systemRoots = "/etc/ssl/certs/ca-certificates.crt";

/**
 * The encoded transport socket. Undefined when the proxy cannot get the required credentials. This is mutual TLS
 * without a certificate and key, or a secret that the proxy may not use.
 */
export function originationSocket(inputs: OriginationInputs, writer: ProtoWriter): Uint8Array | undefined {
  const { tls, http2, defaults } = inputs;
  const trust = trustOf(inputs);
  if (trust === undefined) return undefined;
  const context = writer.any(UpstreamTlsContextSchema, {
    commonTlsContext: {
      tlsParams: {
        ...meshTlsVersions,
        cipherSuites: usableCipherSuites(defaults.cipherSuites),
        ecdhCurves: defaults.ecdhCurves,
      },
      alpnProtocols: http2 ? ["h2"] : [],
      ...trust,
      ...(tls.insecureSkipVerify ? { validationContextType: anyServer } : undefined),
    },
    sni: tls.sni,
  });
  return tlsSocket(context, writer);
}

/** The proxy's certificate and trusted roots: by secret name, or by files. */
function trustOf(inputs: OriginationInputs) {
  const { tls, certificates, names, credentials } = inputs;
  if (tls.credentialName !== "") {
    if (!credentials && !isPublic(tls.credentialName)) return undefined;
    return credentialTrust(tls, names);
  }
  const mutual = tls.mode === "mutual";
  if (mutual && (tls.clientCertificate === "" || tls.privateKey === "")) return undefined;
  const byAgent = certificates.type === "agent";
  return {
    ...(mutual ? ownCertificate(tls, byAgent) : undefined),
    validationContextType: serverChecks(inputs, byAgent),
  };
}

/** A secret without a private key is public. */
function isPublic(credentialName: string): boolean {
  return credentialName.startsWith("configmap://");
}

function credentialTrust({ mode, credentialName }: ClientTls, names: readonly string[]) {
  return {
    ...(mode === "mutual" ? { tlsCertificateSdsSecretConfigs: [credentialSecret(credentialName)] } : undefined),
    validationContextType: {
      case: "combinedValidationContext",
      value: {
        defaultValidationContext: { matchSubjectAltNames: exactNames(names) },
        validationContextSdsSecretConfig: credentialRoots(credentialName),
      },
    },
  } as const;
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
