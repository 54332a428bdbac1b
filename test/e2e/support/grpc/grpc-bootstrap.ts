import { describeNode } from "../../../../src/cli/nodes/describe-node.ts";
import { grpcBootstrap } from "../../../../src/cli/nodes/grpc-bootstrap.ts";
import type { EnvoyNode } from "../envoy/bootstrap.ts";

/** A proxyless gRPC application in the namespace `default`. */
export const grpcNode: EnvoyNode = {
  id: "sidecar~127.0.0.9~client-0.default~default.svc.cluster.local",
  metadata: { LABELS: { app: "client" } },
};

/** The output of `binnacle bootstrap grpc` for this node, with the test's own metadata. */
export function grpcBootstrapText(xdsPort: number, { id, metadata }: EnvoyNode): string {
  const certificates = { type: "none" } as const;
  const settings = { domain: "cluster.local", clusterId: "Kubernetes", labels: {}, certificates };
  const node = describeNode({ ...settings, id, metadata: { GENERATOR: "grpc", ...metadata } });
  return JSON.stringify(grpcBootstrap({ node, xds: { host: "127.0.0.1", port: xdsPort }, certificates }));
}
