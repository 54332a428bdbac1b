import type {
  TrafficPolicy,
  TrafficPolicy_PortTrafficPolicy,
  TrafficPolicy_TunnelSettings,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, errorUnless, type Finding, warning } from "../../finding.ts";
import { isIpAddress } from "../../grammar/address.ts";
import { isFqdn } from "../../grammar/names.ts";
import { percentage, positiveDuration } from "../../rules/amount.ts";
import { portNumber } from "../../rules/port.ts";
import { unique } from "../../rules/unique.ts";
import { clientTlsSettings } from "./client-tls.ts";
import { connectionPool } from "./connection-pool.ts";
import { loadBalancer } from "./load-balancer.ts";
import { outlierDetection } from "./outlier-detection.ts";

/** Load balancing, limits, outlier detection and TLS, of a host or of one of its subsets. */
export function trafficPolicy(policy: TrafficPolicy | undefined, path: string): readonly Finding[] {
  if (policy === undefined) return [];
  const ports = policy.portLevelSettings;
  const { tunnel, proxyProtocol, retryBudget } = policy;
  const extras = tunnel ?? proxyProtocol ?? retryBudget;
  return [
    ...errorUnless(saysSomething(policy) || ports.length > 0 || extras !== undefined, path, {
      code: "empty-policy",
      message: "a traffic policy must set at least one field",
    }),
    ...commonSettings(policy, path),
    ...ports.flatMap((port, index) => portPolicy(port, fieldPath(path, "portLevelSettings", index))),
    ...repeatedPorts(ports, `${path}.portLevelSettings`),
    ...errorUnless(tunnel === undefined || proxyProtocol === undefined, path, {
      code: "conflicting-fields",
      message: "only one of tunnel and proxyProtocol may be set",
    }),
    ...(tunnel === undefined ? [] : tunnelRules(tunnel, `${path}.tunnel`)),
    ...percentage(retryBudget?.percent, `${path}.retryBudget.percent`),
    ...positiveDuration(retryBudget?.budgetInterval, `${path}.retryBudget.budgetInterval`),
  ];
}

function repeatedPorts(ports: readonly TrafficPolicy_PortTrafficPolicy[], path: string): readonly Finding[] {
  const repeated = unique(ports, path, { what: "the port", valueOf: ({ port }) => port?.number });
  return repeated.map((finding) => ({ ...finding, severity: "warning" }));
}

function portPolicy(policy: TrafficPolicy_PortTrafficPolicy, path: string): readonly Finding[] {
  const { port } = policy;
  return [
    ...(port === undefined
      ? [error(path, { code: "missing-port", message: "port-level settings need a port" })]
      : portNumber(port.number, `${path}.port.number`)),
    ...errorUnless(saysSomething(policy), path, {
      code: "empty-policy",
      message: "these settings must set at least one field besides port",
    }),
    ...commonSettings(policy, path),
  ];
}

function saysSomething(policy: TrafficPolicy | TrafficPolicy_PortTrafficPolicy): boolean {
  return (policy.loadBalancer ?? policy.connectionPool ?? policy.outlierDetection ?? policy.tls) !== undefined;
}

function commonSettings(policy: TrafficPolicy | TrafficPolicy_PortTrafficPolicy, path: string): readonly Finding[] {
  return [
    ...loadBalancer(policy.loadBalancer, `${path}.loadBalancer`),
    ...unguardedFailover(policy, `${path}.loadBalancer.localityLbSetting`),
    ...connectionPool(policy.connectionPool, `${path}.connectionPool`),
    ...outlierDetection(policy.outlierDetection, `${path}.outlierDetection`),
    ...clientTlsSettings(policy.tls, `${path}.tls`),
  ];
}

/** Without outlier detection, failover never happens. */
function unguardedFailover(policy: TrafficPolicy | TrafficPolicy_PortTrafficPolicy, path: string): readonly Finding[] {
  const { failover = [], failoverPriority = [] } = policy.loadBalancer?.localityLbSetting ?? {};
  if (failover.length + failoverPriority.length === 0 || policy.outlierDetection !== undefined) return [];
  const message = "failover has no effect without outlierDetection";
  return [warning(path, { code: "missing-outlier-detection", message })];
}

function tunnelRules(
  { protocol, targetHost, targetPort }: TrafficPolicy_TunnelSettings,
  path: string,
): readonly Finding[] {
  return [
    ...errorUnless(["", "CONNECT", "POST"].includes(protocol), `${path}.protocol`, {
      code: "unknown-value",
      message: `the protocol of a tunnel must be CONNECT or POST, not "${protocol}"`,
    }),
    ...errorUnless(isFqdn(targetHost) || isIpAddress(targetHost), `${path}.targetHost`, {
      code: targetHost === "" ? "missing-host" : "bad-host",
      message: targetHost === "" ? "a tunnel needs a targetHost" : `"${targetHost}" is neither a host nor an address`,
    }),
    ...portNumber(targetPort, `${path}.targetPort`),
  ];
}
