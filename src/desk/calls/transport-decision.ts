import type { MeshSettings } from "../../pilot/model/mesh-settings.ts";
import type { DestinationRule } from "../../pilot/model/traffic/destination-rule.ts";
import type { ServedWorkload } from "./served-workloads.ts";
import type { Reason } from "./verdict.ts";

/** How the proxy of a caller connects. */
export type Transport = "mutual TLS" | "plain text" | "TLS without the mesh's identity";

/** By the DestinationRule of the caller; without one, mutual TLS wherever the endpoint speaks it. */
export function transportTo(
  { servicePort, speaksMtls, mtls }: ServedWorkload,
  rule: DestinationRule | undefined,
  { autoMtls }: MeshSettings,
): Transport {
  const policy = rule?.trafficPolicy;
  const tls = (policy?.ports.get(servicePort) ?? policy)?.tls;
  if (tls === undefined) return autoMtls && speaksMtls && mtls !== "disable" ? "mutual TLS" : "plain text";
  if (tls.mode === "istio-mutual") return "mutual TLS";
  return tls.mode === "disable" ? "plain text" : "TLS without the mesh's identity";
}

/** Empty if the workload accepts such connections. */
export function transportReasons(
  { mtls, mtlsOwners }: ServedWorkload,
  transport: Transport,
  rule: DestinationRule | undefined,
): readonly Reason[] {
  const objects = [...mtlsOwners, ...(rule?.owners ?? [])];
  if (mtls === "strict" && transport !== "mutual TLS") {
    return [{ verdict: "denied", text: `it accepts mutual TLS only, and the caller sends ${transport}`, objects }];
  }
  if (mtls === "disable" && transport === "mutual TLS") {
    return [{ verdict: "denied", text: "it accepts plain text only, and the caller sends mutual TLS", objects }];
  }
  return [];
}
