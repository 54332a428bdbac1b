import type { OutlierDetection } from "../../../model/traffic/destination-rule.ts";
import { positive } from "../positive.ts";

/** Success rate ejection is always off: Istio has no setting for it. */
export function buildOutlierDetection(detection: OutlierDetection) {
  const { consecutive5xx, consecutiveGatewayErrors, splitExternalLocalOriginErrors: split } = detection;
  const localFailures = split ? positive(detection.consecutiveLocalOriginFailures) : undefined;
  return {
    consecutive5xx,
    interval: detection.interval,
    baseEjectionTime: detection.baseEjectionTime,
    maxEjectionPercent: positive(detection.maxEjectionPercent),
    enforcingConsecutive5xx: enforcing(consecutive5xx),
    enforcingSuccessRate: 0,
    consecutiveGatewayFailure: consecutiveGatewayErrors,
    enforcingConsecutiveGatewayFailure: enforcing(consecutiveGatewayErrors),
    splitExternalLocalOriginErrors: split,
    consecutiveLocalOriginFailure: localFailures,
    enforcingConsecutiveLocalOriginFailure: enforcing(localFailures),
    enforcingLocalOriginSuccessRate: split ? 0 : undefined,
  };
}

function enforcing(limit: number | undefined): number | undefined {
  if (limit === undefined) return undefined;
  return limit > 0 ? 100 : 0;
}
