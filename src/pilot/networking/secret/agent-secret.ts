import { ApiConfigSource_ApiType, ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";

const agent = {
  apiType: ApiConfigSource_ApiType.GRPC,
  transportApiVersion: ApiVersion.V3,
  grpcServices: [{ targetSpecifier: { case: "envoyGrpc", value: { clusterName: "sds-grpc" } } }],
  setNodeOnFirstMessageOnly: true,
} as const;

/** A secret that the agent beside the proxy serves, through the static cluster `sds-grpc` of its bootstrap. */
export function agentSecret(name: string) {
  return {
    name,
    sdsConfig: {
      configSourceSpecifier: { case: "apiConfigSource", value: agent },
      // Wait however long it takes: a listener or a cluster without its certificates must not come up.
      initialFetchTimeout: { seconds: 0n, nanos: 0 },
      resourceApiVersion: ApiVersion.V3,
    },
  } as const;
}
