import type { ConfigId } from "../../../config/config.ts";
import { keyOf } from "../config-id.ts";
import type { PushContext } from "../push-context.ts";
import type { Credential } from "./credential.ts";
import type { SecretClient } from "./secret-client.ts";
import { objectsOf, parseSecretName, type SecretName } from "./secret-name.ts";

/** Why a proxy may not have a secret. */
export type SecretRefusal =
  /** Nothing serves this name: `invalid://`, or a name that the agent serves. */
  | "unknown-name"
  | "other-namespace"
  /** No configuration that applies to the proxy names the secret. */
  | "not-used"
  | "not-encrypted"
  | "not-authenticated";

/** The answer to a proxy that asks for a name. */
export type SecretVerdict =
  | { readonly type: "served"; readonly credential: Credential; readonly isPublic: boolean }
  /** The proxy may have it, but no object contains it. */
  | { readonly type: "missing"; readonly objects: readonly ConfigId[] }
  | { readonly type: "refused"; readonly reason: SecretRefusal };

/** Decides about one name. Whether an object exists plays no part until the proxy may have it. */
export function secretVerdict(resource: string, client: SecretClient, push: PushContext): SecretVerdict {
  const name = parseSecretName(resource, client.namespace);
  if (name === undefined) return { type: "refused", reason: "unknown-name" };
  const reason = refusalOf(resource, name, client);
  if (reason !== undefined) return { type: "refused", reason };
  const objects = objectsOf(name);
  const credential = objects
    .map((id) => credentialAt(id, name, push))
    .find((found) => found !== undefined && (name.isPublic ? found.authorities : found.certificate) !== undefined);
  return credential === undefined
    ? { type: "missing", objects }
    : { type: "served", credential, isPublic: name.isPublic };
}

/**
 * As in istiod: ConfigMaps are for everybody, Secrets for proxies of their namespace. A name of `kubernetes-gateway` must
 * be used by a Gateway of that namespace. istiod asks Kubernetes whether the service account may list Secrets. Other
 * sources have no such permissions. So instead, configuration must name a Secret for this proxy.
 */
function refusalOf(resource: string, name: SecretName, client: SecretClient): SecretRefusal | undefined {
  if (name.scheme === "configmap") return undefined;
  if (name.namespace !== client.namespace) return "other-namespace";
  if (name.scheme === "kubernetes-gateway" && !client.usedByOwnGateways.includes(resource)) return "not-used";
  if (name.isPublic) return undefined;
  if (!client.used.includes(resource)) return "not-used";
  return client.keys === "allowed" ? undefined : client.keys;
}

function credentialAt(id: ConfigId, { scheme }: SecretName, push: PushContext): Credential | undefined {
  return (scheme === "configmap" ? push.configMapCredentials : push.secretCredentials).get(keyOf(id));
}

/** For people. */
export const refusalTexts: Readonly<Record<SecretRefusal, string>> = {
  "unknown-name": "this server serves no secret of that name",
  "other-namespace": "the Secret is in another namespace than the proxy",
  "not-used": "no Gateway, DestinationRule or Sidecar that applies to the proxy names it",
  "not-encrypted": "secrets are sent over TLS only, and this stream is plaintext",
  "not-authenticated": "secrets are for authenticated proxies only",
};
