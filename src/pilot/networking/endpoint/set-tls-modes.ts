import { memoize } from "../../../lib/memo.ts";
import type { MtlsRefusals } from "../../model/mtls/mtls-refusals.ts";
import type { Endpoint } from "../../model/service/service.ts";
import type { ClientTls, DestinationRule, Subset, TrafficPolicy } from "../../model/traffic/destination-rule.ts";

interface TlsModeInputs {
  readonly rule: DestinationRule | undefined;
  readonly subset: Subset | undefined;
  /** Of the service. */
  readonly port: number;
  readonly refusals: MtlsRefusals | undefined;
}

/**
 * Marks endpoints as a rule sets: all use mesh mTLS, or none does. Without a TLS setting in a rule, each endpoint uses
 * what it supports and accepts.
 */
export function setTlsModes(
  endpoints: readonly Endpoint[],
  { rule, subset, port, refusals }: TlsModeInputs,
): readonly Endpoint[] {
  const mode = modeAt(subset?.trafficPolicy, port) ?? modeAt(rule?.trafficPolicy, port);
  if (mode !== undefined) return endpoints.map((one) => withMode(one, mode === "istio-mutual" ? "istio" : "disabled"));
  if (refusals === undefined) return endpoints;
  return endpoints.map((one) => (refusals.refuses(one) ? withMode(one, "disabled") : one));
}

function withMode(endpoint: Endpoint, tlsMode: Endpoint["tlsMode"]): Endpoint {
  if (endpoint.tlsMode === tlsMode) return endpoint;
  return withTlsMode([endpoint], { tlsMode });
}

const withTlsMode = memoize(
  ([endpoint]: readonly [Endpoint], { tlsMode }: Pick<Endpoint, "tlsMode">): Endpoint => ({ ...endpoint, tlsMode }),
);

/** A port's own settings override the surrounding settings. */
function modeAt(policy: TrafficPolicy | undefined, port: number): ClientTls["mode"] | undefined {
  return (policy?.ports.get(port)?.tls ?? policy?.tls)?.mode;
}
