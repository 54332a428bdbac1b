import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { authoritiesResourceName, secretResourceName } from "../../model/credential/secret-name.ts";

/**
 * Requested on the ADS stream, with Envoy's default timeout. A secret that does not exist must not block the other
 * servers of its listener.
 */
const sdsConfig = { configSourceSpecifier: { case: "ads", value: {} }, resourceApiVersion: ApiVersion.V3 } as const;

/** A certificate and key, by the gateway's credential name. */
export function credentialSecret(credentialName: string) {
  return { name: secretResourceName(credentialName), sdsConfig } as const;
}

/** The CA certificates of that credential. */
export function credentialRoots(credentialName: string) {
  return { name: authoritiesResourceName(credentialName), sdsConfig } as const;
}
