import { createPublicKey, type KeyObject } from "node:crypto";
import { Attributes, CertificationRequest, CertificationRequestInfo } from "@peculiar/asn1-csr";
import { AsnConvert } from "@peculiar/asn1-schema";
import { Attribute, Extensions, Name, SubjectPublicKeyInfo } from "@peculiar/asn1-x509";
import { assert } from "../lib/assert.ts";
import { type SubjectName, subjectNames } from "./extensions.ts";
import { keyFamilyOf } from "./key-family.ts";
import { algorithmOf, bufferOf, pemOf, signBytes } from "./sign.ts";

/** The attribute of a request that has the wanted extensions (RFC 2985, `extensionRequest`). */
export const extensionRequest = "1.2.840.113549.1.9.14";

/** A request in PEM for the certificate of a server with these names. */
export async function makeCsr(names: readonly SubjectName[], key: KeyObject): Promise<string> {
  const family = keyFamilyOf(key);
  assert(family !== undefined, "keys of our own have a known family");
  const wanted = AsnConvert.serialize(new Extensions([subjectNames(names)]));
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const info = new CertificationRequestInfo({
    subject: new Name(),
    subjectPKInfo: AsnConvert.parse(spki, SubjectPublicKeyInfo),
    attributes: new Attributes([new Attribute({ type: extensionRequest, values: [wanted] })]),
  });
  const signature = await signBytes(Buffer.from(AsnConvert.serialize(info)), { key, family });
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: algorithmOf(family),
    signature: bufferOf(signature),
  });
  return pemOf("CERTIFICATE REQUEST", Buffer.from(AsnConvert.serialize(request)));
}
