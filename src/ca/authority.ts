import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { AsnConvert } from "@peculiar/asn1-schema";
import { Certificate, id_ce_subjectKeyIdentifier, type Name, SubjectKeyIdentifier } from "@peculiar/asn1-x509";
import { MeshError } from "../lib/errors.ts";
import { smallest } from "../lib/extremes.ts";
import { type KeyFamily, keyFamilyOf } from "./key-family.ts";
import type { Authority } from "./roots.ts";

/** An authority whose certificates and key were read and fit together. */
export interface OpenAuthority {
  /** The name that certificates give as their issuer. */
  readonly name: Name;
  /** The id of its key, if its certificate has one. */
  readonly keyId: ArrayBuffer | undefined;
  readonly key: KeyObject;
  readonly family: KeyFamily;
  /** Its own certificate and those above it, without the root. Empty if the root itself signs. PEM, each with an end of line. */
  readonly chain: readonly string[];
  readonly root: X509Certificate;
  /** The first expiry in the chain, the root included, in milliseconds since 1970. */
  readonly notAfter: number;
}

/** Throws `bad-config`: the message says which of its parts does not fit, and never shows the key. */
export function openAuthority(authority: Authority): OpenAuthority {
  const certificate = certificateIn("the certificate", authority.certificate);
  const root = certificateIn("the root certificate", authority.root);
  const between = authority.chain.map((pem) => certificateIn("the chain", pem));
  const key = keyIn(authority);
  const family = keyFamilyOf(key);
  if (family === undefined) throw unusable("the key is not RSA, ECDSA P-256, ECDSA P-384 or Ed25519");
  if (!certificate.checkPrivateKey(key)) throw unusable("the key is not the key of the certificate");
  const isRoot = certificate.raw.equals(root.raw);
  const chain = isRoot ? [] : [certificate, ...between];
  checkChain([...chain, root]);
  const { subject: name, extensions = [] } = AsnConvert.parse(certificate.raw, Certificate).tbsCertificate;
  const valueOf = (id: string) => extensions.find((each) => each.extnID === id)?.extnValue.buffer;
  const keyId = valueOf(id_ce_subjectKeyIdentifier);
  return {
    name,
    keyId: keyId && AsnConvert.parse(keyId, SubjectKeyIdentifier).buffer,
    key,
    family,
    chain: chain.map(String),
    root,
    notAfter: smallest([...chain, root].map((each) => each.validToDate.getTime())),
  };
}

/** Checks that each certificate may sign others, and that the next one has signed it. */
function checkChain(chain: readonly X509Certificate[]): void {
  for (const [index, certificate] of chain.entries()) {
    if (!certificate.ca) {
      const problem = "its basic constraints are not those of an authority, or its key usage lacks keyCertSign";
      throw unusable(`${subjectOf(certificate)} must not sign certificates: ${problem}`);
    }
    const issuer = chain[index + 1];
    if (issuer === undefined) return;
    if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
      throw unusable(`${subjectOf(certificate)} is not signed by ${subjectOf(issuer)}, which follows it in the chain`);
    }
  }
}

function subjectOf({ subject }: X509Certificate): string {
  return JSON.stringify((subject ?? "").replaceAll("\n", ", "));
}

function certificateIn(what: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw unusable(`${what} is not a certificate in PEM`, cause);
  }
}

function keyIn({ key }: Authority): KeyObject {
  try {
    return createPrivateKey(key.reveal());
  } catch {
    // The cause could show a part of the key.
    throw unusable("the key is not a private key in PEM without a password");
  }
}

function unusable(reason: string, cause?: unknown): MeshError {
  return new MeshError("bad-config", `the authority cannot sign: ${reason}`, { cause });
}
