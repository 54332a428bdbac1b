import type { DestinationRule, PortPolicy, Subset, TrafficPolicy } from "../../model/destination-rule.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";

const nothing: PortPolicy = {
  loadBalancer: undefined,
  connectionPool: undefined,
  outlierDetection: undefined,
  tls: undefined,
};

/** What holds for one port: a port's own settings replace those around them as a whole, a subset's override singly. */
export function effectivePolicy(
  rule: DestinationRule | undefined,
  subset: Subset | undefined,
  port: number,
  mesh: MeshSettings,
): PortPolicy {
  const base = policyAt(rule?.trafficPolicy, port);
  const filled: PortPolicy = {
    loadBalancer: base.loadBalancer,
    connectionPool: base.connectionPool ?? mesh.defaultConnectionPool,
    outlierDetection: base.outlierDetection ?? mesh.defaultOutlierDetection,
    tls: base.tls,
  };
  const own = subset?.trafficPolicy;
  if (own === undefined) return filled;
  const ownAtPort = own.ports.get(port);
  if (ownAtPort !== undefined) return ownAtPort;
  return {
    loadBalancer: own.loadBalancer ?? filled.loadBalancer,
    connectionPool: own.connectionPool ?? filled.connectionPool,
    outlierDetection: own.outlierDetection ?? filled.outlierDetection,
    tls: own.tls ?? filled.tls,
  };
}

function policyAt(policy: TrafficPolicy | undefined, port: number): PortPolicy {
  return policy?.ports.get(port) ?? policy ?? nothing;
}
