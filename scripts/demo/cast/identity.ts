import type { NodeSketch } from "../../../src/cli/nodes/describe-node.ts";

/** Who a client of the control plane is, within the namespace of the example. */
export interface ProxyIdentity {
  readonly type: "router" | "sidecar";
  /** `productpage-0`: what stands before the number is its label `app`. */
  readonly name: string;
}

/**
 * Its address is none that a WorkloadEntry has: a sidecar at a workload's address would also listen for that workload.
 * Nobody connects to it.
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
