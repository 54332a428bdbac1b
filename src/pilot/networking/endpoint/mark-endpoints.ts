import { Memo } from "../../../lib/memo.ts";
import type { ClientTls, DestinationRule, Subset, TrafficPolicy } from "../../model/destination-rule.ts";
import type { Endpoint } from "../../model/service.ts";

const marked = new Memo<Endpoint>();

/**
 * The endpoints as a rule wants them marked: all of them speak mesh mTLS, or none does. Where no rule says anything
 * about TLS, each is taken for what it can.
 */
export function markEndpoints(
  endpoints: readonly Endpoint[],
  rule: DestinationRule | undefined,
  subset: Subset | undefined,
  port: number,
): readonly Endpoint[] {
  const mode = modeAt(subset?.trafficPolicy, port) ?? modeAt(rule?.trafficPolicy, port);
  if (mode === undefined) return endpoints;
  const tlsMode = mode === "istio-mutual" ? "istio" : "disabled";
  return endpoints.map((endpoint) =>
    endpoint.tlsMode === tlsMode ? endpoint : marked.get([endpoint], tlsMode, () => ({ ...endpoint, tlsMode })),
  );
}

/** A port's own words before those around them. */
function modeAt(policy: TrafficPolicy | undefined, port: number): ClientTls["mode"] | undefined {
  return (policy?.ports.get(port)?.tls ?? policy?.tls)?.mode;
}
