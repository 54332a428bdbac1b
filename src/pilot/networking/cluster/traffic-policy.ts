import type { MeshSettings } from "../../model/mesh-settings.ts";
import type {
  DestinationPolicy,
  DestinationRule,
  PortPolicy,
  Subset,
  TrafficPolicy,
} from "../../model/traffic/destination-rule.ts";

const emptyPortPolicy: PortPolicy = {
  loadBalancer: undefined,
  connectionPool: undefined,
  outlierDetection: undefined,
  tls: undefined,
};

const emptyDestinationFields = { proxyProtocol: undefined, retryBudget: undefined, tunnel: undefined };

/**
 * The merged policy of one port. Port settings replace the surrounding settings as a whole, including fields that a
 * port cannot set. Subset settings override single fields. Only a subset's port inherits those fields from the rule.
 */
export function effectivePolicy(
  rule: DestinationRule | undefined,
  subset: Subset | undefined,
  port: number,
  mesh: MeshSettings,
): DestinationPolicy {
  const base = policyAt(rule?.trafficPolicy, port);
  const filled: DestinationPolicy = {
    ...base,
    connectionPool: base.connectionPool ?? mesh.defaultConnectionPool,
    outlierDetection: base.outlierDetection ?? mesh.defaultOutlierDetection,
  };
  const own = subset?.trafficPolicy;
  if (own === undefined) return filled;
  const { ports, ...around } = own;
  const policy = {
    ...filled,
    ...(ports.get(port) ?? definedFields(around)),
    ...definedFields(destinationFields(around)),
  };
  // With passthrough, traffic goes to its original destination. So a subset has nothing to balance.
  return filled.loadBalancer?.algorithm === "passthrough" ? { ...policy, loadBalancer: filled.loadBalancer } : policy;
}

function policyAt(policy: TrafficPolicy | undefined, port: number): DestinationPolicy {
  const atPort = policy?.ports.get(port);
  if (atPort !== undefined) return { ...atPort, ...emptyDestinationFields };
  if (policy === undefined) return { ...emptyPortPolicy, ...emptyDestinationFields };
  const { ports: _, ...around } = policy;
  return around;
}

function destinationFields({ proxyProtocol, retryBudget, tunnel }: DestinationPolicy) {
  return { proxyProtocol, retryBudget, tunnel };
}

function definedFields<T extends object>(policy: T): Partial<T> {
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined)) as Partial<T>;
}
