import type { OutlierDetection } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding, warning } from "../../finding.ts";
import { notNegative, percentage, positiveDuration } from "../../rules/amount.ts";

export function outlierDetection(outlier: OutlierDetection | undefined, path: string): readonly Finding[] {
  if (outlier === undefined) return [];
  const { consecutiveErrors, consecutive5xxErrors, consecutiveGatewayErrors } = outlier;
  const newer = consecutive5xxErrors ?? consecutiveGatewayErrors;
  const message = "Istio removed consecutiveErrors, and it is ignored";
  const hint = "write consecutiveGatewayErrors or consecutive5xxErrors";
  return [
    ...positiveDuration(outlier.interval, `${path}.interval`),
    ...positiveDuration(outlier.baseEjectionTime, `${path}.baseEjectionTime`),
    ...percentage(outlier.maxEjectionPercent, `${path}.maxEjectionPercent`),
    ...percentage(outlier.minHealthPercent, `${path}.minHealthPercent`),
    ...outlier.outlierDetectionHttpErrorCodes.flatMap((code, index) =>
      errorUnless(code >= 100 && code <= 599, fieldPath(`${path}.outlierDetectionHttpErrorCodes`, index), {
        code: "bad-status",
        message: "an HTTP status is between 100 and 599",
      }),
    ),
    ...errorUnless(
      outlier.splitExternalLocalOriginErrors || (outlier.consecutiveLocalOriginFailures ?? 0) === 0,
      `${path}.consecutiveLocalOriginFailures`,
      {
        code: "useless-field",
        message: "consecutiveLocalOriginFailures has no effect without splitExternalLocalOriginErrors",
      },
    ),
    ...notNegative(consecutiveErrors, `${path}.consecutiveErrors`),
    ...errorUnless(consecutiveErrors === 0 || newer === undefined, `${path}.consecutiveErrors`, {
      code: "conflicting-fields",
      message: "consecutiveErrors cannot be combined with the counters that replaced it",
    }),
    ...(consecutiveErrors > 0 && newer === undefined
      ? [warning(`${path}.consecutiveErrors`, { code: "unsupported-field", message, hint })]
      : []),
  ];
}
