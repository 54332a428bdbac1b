import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";

/**
 * Asked for on the stream that everything else comes from. With Envoy's usual patience and no more: a secret that does
 * not exist must not keep the other servers of its listener from coming up.
 */
const sdsConfig = { configSourceSpecifier: { case: "ads", value: {} }, resourceApiVersion: ApiVersion.V3 } as const;

/** A certificate with its key, by the name that a gateway gives. */
export function credentialSecret(credentialName: string) {
  return { name: resourceName(credentialName), sdsConfig } as const;
}

/** The authorities that are kept with it. */
export function credentialRoots(credentialName: string) {
  return { name: `${resourceName(credentialName)}-cacert`, sdsConfig } as const;
}

/** A bare name is that of a Kubernetes secret. */
function resourceName(credentialName: string): string {
  return credentialName.includes("://") ? credentialName : `kubernetes://${credentialName}`;
}
