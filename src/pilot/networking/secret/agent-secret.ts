import { ApiConfigSource_ApiType, ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";

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

/** Waits however long it takes: without the mesh's certificates neither a listener nor a cluster should come up. */
const patientAgent = { ...agent, initialFetchTimeout: { seconds: 0n, nanos: 0 } } as const;

/** The proxy's own certificate with its key (`default`), or the roots of the mesh (`ROOTCA`). */
export function meshSecret(name: "default" | "ROOTCA") {
  return { name, sdsConfig: patientAgent } as const;
}

/** Files on the proxy's disk that the agent reads, and reads again when they change: a certificate with its key. */
export function certificateSecret(certificate: string, privateKey: string) {
  return { name: `file-cert:${certificate}~${privateKey}`, sdsConfig: agent } as const;
}

/** The same for roots to trust; "" means those of the operating system, which the agent knows how to find. */
export function rootsSecret(file: string) {
  return { name: `file-root:${file === "" ? "system" : file}`, sdsConfig: agent } as const;
}
