import { Memo } from "../../../lib/memo.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type {
  DestinationPolicy,
  DestinationRule,
  PortPolicy,
  Subset,
  TrafficPolicy,
} from "../../model/traffic/destination-rule.ts";

const nothingForPort: PortPolicy = {
  loadBalancer: undefined,
  connectionPool: undefined,
  outlierDetection: undefined,
  tls: undefined,
};

const nothingForAll = { proxyProtocol: undefined, retryBudget: undefined, tunnel: undefined };

/**
 * What holds for one port: a port's own settings replace those around them as a whole, also what they have no words for;
 * a subset's override singly, and only a subset's port leaves that to the rule.
 */
export function effectivePolicy(
  rule: DestinationRule | undefined,
  subset: Subset | undefined,
  port: number,
  mesh: MeshSettings,
): DestinationPolicy {
  const id = `${port}|${subset?.name ?? ""}`;
  return known.get([rule ?? nobody, mesh], id, () => policyFor(rule, subset, port, mesh));
}

const known = new Memo<DestinationPolicy>();
const nobody = {};

function policyFor(
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
  const policy = { ...filled, ...(ports.get(port) ?? said(around)), ...said(forAll(around)) };
  // Who is passed through goes where it was going anyway: there is nothing left for a subset to balance.
  return filled.loadBalancer?.algorithm === "passthrough" ? { ...policy, loadBalancer: filled.loadBalancer } : policy;
}

function policyAt(policy: TrafficPolicy | undefined, port: number): DestinationPolicy {
  const atPort = policy?.ports.get(port);
  if (atPort !== undefined) return { ...atPort, ...nothingForAll };
  if (policy === undefined) return { ...nothingForPort, ...nothingForAll };
  const { ports: _, ...around } = policy;
  return around;
}

function forAll({ proxyProtocol, retryBudget, tunnel }: DestinationPolicy) {
  return { proxyProtocol, retryBudget, tunnel };
}

function said<T extends object>(policy: T): Partial<T> {
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined)) as Partial<T>;
}
