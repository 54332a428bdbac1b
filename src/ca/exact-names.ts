import { CertificationRequest } from "@peculiar/asn1-csr";
import { AsnConvert } from "@peculiar/asn1-schema";
import {
  type Attribute,
  Certificate,
  type Extension,
  Extensions,
  type GeneralName,
  id_ce_subjectAltName,
  type Name,
  SubjectAlternativeName,
} from "@peculiar/asn1-x509";
import { generalName, type SubjectName } from "./extensions.ts";
import { extensionRequest } from "./make-csr.ts";

const commonName = "2.5.4.3";

/** Whether a request in PEM, which `readCsr` accepted, asks for these names and no other. */
export function requestsExactly(csr: string, names: readonly SubjectName[]): boolean {
  const der = Buffer.from(csr.replaceAll(/-----[A-Z ]+-----/gu, ""), "base64");
  return isExactly(names, () => {
    const { subject, attributes } = AsnConvert.parse(der, CertificationRequest).certificationRequestInfo;
    // Missing if the request has none, although the library's type does not say so.
    const given: readonly Attribute[] | undefined = attributes;
    const wanted = (given ?? []).filter(({ type }) => type === extensionRequest).flatMap(({ values }) => values);
    return [subject, wanted.flatMap((value): readonly Extension[] => AsnConvert.parse(value, Extensions))];
  });
}

/** Whether a certificate in DER has these names and no other. */
export function certifiesExactly(der: Uint8Array, names: readonly SubjectName[]): boolean {
  return isExactly(names, () => {
    const { subject, extensions = [] } = AsnConvert.parse(der, Certificate).tbsCertificate;
    return [subject, extensions];
  });
}

/** The names in any order, each once. A common name is one name too many, because some clients read it as one. */
function isExactly(names: readonly SubjectName[], read: () => readonly [Name, readonly Extension[]]): boolean {
  const expected = names.map((name) => textOf(generalName(name)));
  try {
    const [subject, extensions] = read();
    if (subject.some((part) => part.some(({ type }) => type === commonName))) return false;
    const found = extensions.filter(({ extnID }) => extnID === id_ce_subjectAltName).flatMap(namesIn);
    return found.toSorted().join() === expected.toSorted().join();
  } catch {
    return false;
  }
}

function namesIn({ extnValue }: Extension): readonly string[] {
  return AsnConvert.parse(extnValue.buffer, SubjectAlternativeName).map(textOf);
}

/** Its encoding: an IP address has several texts. */
function textOf(name: GeneralName): string {
  return Buffer.from(AsnConvert.serialize(name)).toString("hex");
}
