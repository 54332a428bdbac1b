import type { NodeSketch } from "../../../src/cli/nodes/describe-node.ts";

/** The identity of a client of the control plane, within the namespace of the example. */
export interface ProxyIdentity {
  readonly type: "router" | "sidecar";
  /** `productpage-0`: the part before the number is its label `app`. */
  readonly name: string;
}

/**
 * Its address differs from that of every WorkloadEntry. A sidecar at a workload's address would also listen for that
 * workload. No client connects to the address.
 */
export function sketchOf({ type, name }: ProxyIdentity): NodeSketch {
  return {
    id: `${type}~127.0.0.9~${name}.bookinfo~bookinfo.svc.cluster.local`,
    domain: "cluster.local",
    clusterId: "Kubernetes",
    labels: {},
    certificates: { type: "none" },
    metadata: {},
  };
}
