import {
  TlsParameters_TlsProtocol as TlsProtocol,
  CertificateValidationContext_TrustChainVerification as TrustChain,
} from "#gen/envoy/extensions/transport_sockets/tls/v3/common_pb.js";
import { DownstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { ServerTls, TlsVersion } from "../../model/gateway/gateway.ts";
import type { TlsDefaults } from "../../model/mesh-settings.ts";
import type { Certificates } from "../../model/proxy/certificates.ts";
import { usableCipherSuites, usableCurves } from "./cipher-suites.ts";
import { fileSource } from "./file-source.ts";
import { exactNames } from "./peer-names.ts";
import { clientRoots, serverCertificates } from "./server-identity.ts";
import { tlsSocket } from "./tls-socket.ts";

/** All inputs of TLS at a server, beside what its author says. */
export interface ServerTlsContext {
  readonly certificates: Certificates;
  /** Defaults for unset fields. */
  readonly defaults: TlsDefaults;
  /** TCP connections start with metadata exchange. */
  readonly exchangesMetadata: boolean;
}

/**
 * The encoded transport socket of a server that terminates TLS. Undefined when the server needs mesh certificates and
 * the proxy has none.
 */
export function serverSocket(tls: ServerTls, around: ServerTlsContext, writer: ProtoWriter): Uint8Array | undefined {
  const { certificates, defaults, exchangesMetadata } = around;
  return encodeSocket([tls, defaults, writer], { certificates, exchangesMetadata });
}

const encodeSocket = memoize(
  (
    [tls, defaults, writer]: readonly [ServerTls, TlsDefaults, ProtoWriter],
    { certificates, exchangesMetadata }: Pick<ServerTlsContext, "certificates" | "exchangesMetadata">,
  ): Uint8Array | undefined => {
    const own = serverCertificates(tls, certificates);
    if (own === undefined) return undefined;
    const checks = tls.mode === "simple" ? undefined : clientChecks(tls, certificates);
    if (checks === undefined && tls.mode !== "simple") return undefined;
    const context = writer.any(DownstreamTlsContextSchema, {
      commonTlsContext: {
        tlsParams: tls.mode === "istio-mutual" ? undefined : parametersOf(tls, defaults),
        alpnProtocols:
          exchangesMetadata && tls.mode === "istio-mutual"
            ? ["istio-peer-exchange", "h2", "http/1.1"]
            : ["h2", "http/1.1"],
        ...own,
        validationContextType: checks,
      },
      requireClientCertificate: tls.mode === "mutual" || tls.mode === "istio-mutual",
    });
    return tlsSocket(context, writer);
  },
);

const versions: Readonly<Record<TlsVersion, TlsProtocol>> = {
  auto: TlsProtocol.TLS_AUTO,
  "1.0": TlsProtocol.TLSv1_0,
  "1.1": TlsProtocol.TLSv1_1,
  "1.2": TlsProtocol.TLSv1_2,
  "1.3": TlsProtocol.TLSv1_3,
};

/** Undefined to use Envoy's defaults. */
function parametersOf(tls: ServerTls, { minVersion: least, cipherSuites, ecdhCurves: curves }: TlsDefaults) {
  const minVersion = tls.minVersion === "auto" ? (least ?? "auto") : tls.minVersion;
  const { maxVersion } = tls;
  const suites = usableCipherSuites(tls.cipherSuites.length > 0 ? tls.cipherSuites : cipherSuites);
  const ecdhCurves = usableCurves(tls.ecdhCurves.length > 0 ? tls.ecdhCurves : curves);
  const silent = suites.length + ecdhCurves.length === 0;
  if (minVersion === "auto" && maxVersion === "auto" && silent) return undefined;
  return {
    tlsMinimumProtocolVersion: versions[minVersion],
    tlsMaximumProtocolVersion: versions[maxVersion],
    cipherSuites: suites,
    ecdhCurves,
  };
}

function clientChecks(tls: ServerTls, certificates: Certificates) {
  const roots = clientRoots(tls, certificates);
  if (roots === undefined) return undefined;
  const checks = {
    matchSubjectAltNames: exactNames(tls.subjectAltNames),
    verifyCertificateSpki: tls.verifySpki,
    verifyCertificateHash: tls.verifyHash,
    crl: tls.caCrl === "" ? undefined : fileSource(tls.caCrl),
    trustChainVerification: tls.insecureSkipVerify ? TrustChain.ACCEPT_UNTRUSTED : TrustChain.VERIFY_TRUST_CHAIN,
  };
  if (typeof roots === "string") {
    return { case: "validationContext", value: { ...checks, trustedCa: fileSource(roots) } } as const;
  }
  return {
    case: "combinedValidationContext",
    value: { defaultValidationContext: checks, validationContextSdsSecretConfig: roots },
  } as const;
}
