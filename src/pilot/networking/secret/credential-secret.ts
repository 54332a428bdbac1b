import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";

/**
 * Requested on the ADS stream, with Envoy's default timeout. A secret that does not exist must not block the other
 * servers of its listener.
 */
const sdsConfig = { configSourceSpecifier: { case: "ads", value: {} }, resourceApiVersion: ApiVersion.V3 } as const;

/** A certificate and key, by the gateway's credential name. */
export function credentialSecret(credentialName: string) {
  return { name: resourceName(credentialName), sdsConfig } as const;
}

/** The CA certificates of that credential. */
export function credentialRoots(credentialName: string) {
  return { name: `${resourceName(credentialName)}-cacert`, sdsConfig } as const;
}

/** A bare name is that of a Kubernetes secret. */
function resourceName(credentialName: string): string {
  return credentialName.includes("://") ? credentialName : `kubernetes://${credentialName}`;
}
