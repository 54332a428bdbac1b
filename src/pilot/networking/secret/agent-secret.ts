import { ApiConfigSource_ApiType, ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { zeroDuration } from "../../model/duration.ts";
import type { CertificateFiles } from "../../model/proxy/certificates.ts";

/** The agent beside the proxy, as a source of secrets: through the static cluster `sds-grpc` of the bootstrap. */
const agent = {
  configSourceSpecifier: {
    case: "apiConfigSource",
    value: {
      apiType: ApiConfigSource_ApiType.GRPC,
      transportApiVersion: ApiVersion.V3,
      grpcServices: [{ targetSpecifier: { case: "envoyGrpc", value: { clusterName: "sds-grpc" } } }],
      setNodeOnFirstMessageOnly: true,
    },
  },
  resourceApiVersion: ApiVersion.V3,
} as const;

/** Waits without a limit: listeners and clusters must not start without mesh certificates. */
const patientAgent = { ...agent, initialFetchTimeout: zeroDuration } as const;

/** The proxy's own certificate and key: from the agent, or mounted. */
export function meshCertificate(mounted?: CertificateFiles) {
  const { certificateChain = "", privateKey = "" } = mounted ?? {};
  const name = certificateChain === "" || privateKey === "" ? "default" : certificateName(certificateChain, privateKey);
  return { name, sdsConfig: patientAgent } as const;
}

/** The CA certificates of the mesh: from the agent, or mounted. */
export function meshRoots(mounted?: CertificateFiles) {
  const { rootCertificates = "" } = mounted ?? {};
  return { name: rootCertificates === "" ? "ROOTCA" : rootsName(rootCertificates), sdsConfig: patientAgent } as const;
}

/** Files on the proxy's disk that the agent reads, and reads again when they change: a certificate with its key. */
export function certificateSecret(certificate: string, privateKey: string) {
  return { name: certificateName(certificate, privateKey), sdsConfig: agent } as const;
}

/** The same for roots to trust; "" means those of the operating system, which the agent knows how to find. */
export function rootsSecret(file: string) {
  return { name: rootsName(file === "" ? "system" : file), sdsConfig: agent } as const;
}

function certificateName(certificate: string, privateKey: string): string {
  return `file-cert:${certificate}~${privateKey}`;
}

function rootsName(file: string): string {
  return `file-root:${file}`;
}
