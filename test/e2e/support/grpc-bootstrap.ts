import type { EnvoyNode } from "./bootstrap.ts";

/** An application in the namespace `default` that speaks xDS itself. */
export const grpcNode: EnvoyNode = {
  id: "sidecar~127.0.0.9~client-0.default~default.svc.cluster.local",
  metadata: { NAMESPACE: "default", INSTANCE_IPS: "127.0.0.9", LABELS: { app: "client" } },
};

/** The text of `GRPC_XDS_BOOTSTRAP_CONFIG`. grpc-js wants a locality, and the server features decide for v3. */
export function grpcBootstrap(xdsPort: number, { id, metadata }: EnvoyNode): string {
  return JSON.stringify({
    xds_servers: [
      {
        server_uri: `127.0.0.1:${xdsPort}`,
        channel_creds: [{ type: "insecure" }],
        server_features: ["xds_v3"],
      },
    ],
    node: {
      id,
      cluster: "binnacle",
      locality: {},
      metadata: { GENERATOR: "grpc", CLUSTER_ID: "Kubernetes", ...metadata },
    },
    server_listener_resource_name_template: "xds.istio.io/grpc/lds/inbound/%s",
  });
}
