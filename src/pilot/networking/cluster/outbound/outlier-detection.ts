import type { OutlierDetection } from "../../../model/traffic/destination-rule.ts";

/** Ejection by success rate is off throughout: Istio has no words for it. */
export function outlierDetectionOf(detection: OutlierDetection) {
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

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}
