import { configId } from "../../config/config.ts";
import { authoritiesIn, pairIn } from "../../config/credential/secret-parts.ts";
import { Sealed } from "../../lib/sealed.ts";
import type { Credential } from "../../pilot/model/credential/credential.ts";
import { pairs, rootCertificate } from "../config/fake-certificates.ts";

interface Holds {
  readonly kind?: "Secret" | "ConfigMap";
  readonly certificate?: keyof typeof pairs;
  readonly authorities?: boolean;
}

/** A credential of namespace `edge`, or of another: `namespace/name`. */
export function fakeCredential(
  place: string,
  { kind = "Secret", certificate, authorities = false }: Holds,
): Credential {
  const [name = "", namespace = "edge"] = place.split("/").toReversed();
  const pair = certificate && pairs[certificate];
  const parts = {
    ...(pair && { "tls.crt": Buffer.from(pair.certificate), "tls.key": Buffer.from(pair.key) }),
    ...(authorities && { "ca.crt": Buffer.from(rootCertificate) }),
  };
  const found = pairIn(parts);
  return {
    namespace,
    name,
    owner: configId(kind, namespace, name),
    version: JSON.stringify([certificate, authorities]),
    certificate: found && new Sealed(found),
    authorities: authoritiesIn(parts),
  };
}
