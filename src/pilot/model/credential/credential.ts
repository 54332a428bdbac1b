import type { ConfigId } from "../../../config/config.ts";
import type { Authorities, CertificatePair } from "../../../config/credential/secret-parts.ts";
import type { Sealed } from "../../../lib/sealed.ts";

/** A Secret or a ConfigMap that contains certificates, or credentials for a registry. Other objects are not in the model. */
export interface Credential {
  readonly namespace: string;
  readonly name: string;
  readonly owner: ConfigId;
  /** Differs whenever the content differs. Sealed content cannot be compared. */
  readonly version: string;
  /** Contains a private key. Undefined if the object has no complete pair. */
  readonly certificate: Sealed<CertificatePair> | undefined;
  /** Credentials for registries of images, as JSON. Agents use them to fetch modules. */
  readonly pullConfig: Sealed<Uint8Array> | undefined;
  /** Public. */
  readonly authorities: Authorities | undefined;
}
