import type { SdsSecretConfig } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import type { CommonTlsContext } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import type { EnvoyConfig } from "./envoy-config.ts";

/**
 * A secret that a TLS context needs and the proxy was not sent. Envoy then closes every connection that uses the
 * context. Secrets from an agent beside the proxy are unknown here and count as present.
 */
export function missingSecret(
  context: CommonTlsContext | undefined,
  { secrets }: Pick<EnvoyConfig, "secrets">,
): string | undefined {
  if (context === undefined || secrets === undefined) return undefined;
  return secretsIn(context).find(({ name, sdsConfig }) => {
    return sdsConfig?.configSourceSpecifier.case === "ads" && !secrets.has(name);
  })?.name;
}

function secretsIn({ tlsCertificateSdsSecretConfigs, validationContextType: roots }: CommonTlsContext) {
  const trusted: readonly (SdsSecretConfig | undefined)[] =
    roots.case === "combinedValidationContext"
      ? [roots.value.validationContextSdsSecretConfig]
      : roots.case === "validationContextSdsSecretConfig"
        ? [roots.value]
        : [];
  return [...tlsCertificateSdsSecretConfigs, ...trusted].filter((secret) => secret !== undefined);
}
