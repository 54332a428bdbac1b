import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  ExtendedKeyUsage,
  Extension,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
} from "@peculiar/asn1-x509";

/** One name of the owner of a certificate. */
export interface SubjectName {
  readonly type: "uri" | "dns" | "ip";
  readonly value: string;
}

/** The extensions of a workload's or server's certificate, in istiod's order. */
export function leafExtensions(names: readonly SubjectName[], issuerKeyId: ArrayBuffer | undefined): Extension[] {
  const issuer = new AuthorityKeyIdentifier({ ...(issuerKeyId && { keyIdentifier: new KeyIdentifier(issuerKeyId) }) });
  return [
    critical(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment)),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth, id_kp_clientAuth])),
    critical(id_ce_basicConstraints, new BasicConstraints()),
    ...(issuerKeyId === undefined ? [] : [extension(id_ce_authorityKeyIdentifier, issuer)]),
    subjectNames(names),
  ];
}

/** The names of the owner. Critical, because the subject is empty. */
export function subjectNames(names: readonly SubjectName[]): Extension {
  return critical(id_ce_subjectAltName, new SubjectAlternativeName(names.map(generalName)));
}

/** The extensions of a root certificate. */
export function rootExtensions(keyId: ArrayBuffer): Extension[] {
  return [
    critical(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign)),
    critical(id_ce_basicConstraints, new BasicConstraints({ cA: true })),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyId)),
  ];
}

export function generalName({ type, value }: SubjectName): GeneralName {
  const fields = { uri: "uniformResourceIdentifier", dns: "dNSName", ip: "iPAddress" } as const;
  return new GeneralName({ [fields[type]]: value });
}

function critical(extnID: string, value: object): Extension {
  return new Extension({ extnID, critical: true, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function extension(extnID: string, value: object): Extension {
  return new Extension({ extnID, critical: false, extnValue: new OctetString(AsnConvert.serialize(value)) });
}
