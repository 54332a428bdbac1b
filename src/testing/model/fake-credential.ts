import { configId } from "../../config/config.ts";
import { authoritiesIn, pairIn, pullConfigIn, pullSecretPart } from "../../config/credential/secret-parts.ts";
import { Sealed } from "../../lib/sealed.ts";
import type { Credential } from "../../pilot/model/credential/credential.ts";
import { pairs, rootCertificate } from "../config/fake-certificates.ts";

interface Holds {
  readonly kind?: "Secret" | "ConfigMap";
  readonly certificate?: keyof typeof pairs;
  readonly authorities?: boolean;
  /** Credentials for registries, as JSON. */
  readonly pullConfig?: string;
}

/** A credential of namespace `edge`, or of another: `namespace/name`. */
export function fakeCredential(
  place: string,
  { kind = "Secret", certificate, authorities = false, pullConfig }: Holds,
): Credential {
  const [name = "", namespace = "edge"] = place.split("/").toReversed();
  const pair = certificate && pairs[certificate];
  const parts = {
    ...(pair && { "tls.crt": Buffer.from(pair.certificate), "tls.key": Buffer.from(pair.key) }),
    ...(authorities && { "ca.crt": Buffer.from(rootCertificate) }),
    ...(pullConfig !== undefined && { [pullSecretPart]: Buffer.from(pullConfig) }),
  };
  const [found, pull] = [pairIn(parts), pullConfigIn(parts)];
  return {
    namespace,
    name,
    owner: configId(kind, namespace, name),
    version: JSON.stringify([certificate, authorities, pullConfig]),
    certificate: found && new Sealed(found),
    pullConfig: pull && new Sealed(pull),
    authorities: authoritiesIn(parts),
  };
}
