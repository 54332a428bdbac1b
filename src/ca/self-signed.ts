import { createHash, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { AsnConvert } from "@peculiar/asn1-schema";
import {
  AttributeTypeAndValue,
  AttributeValue,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
} from "@peculiar/asn1-x509";
import { Sealed } from "../lib/sealed.ts";
import { rootExtensions } from "./extensions.ts";
import type { Authority } from "./roots.ts";
import { bufferOf, signCertificate } from "./sign.ts";

const organization = "2.5.4.10";

export interface RootRequest {
  /** The name of the root certificate: the trust domain. */
  readonly organization: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** 16 random bytes of a CSPRNG. */
  readonly random: Uint8Array;
  readonly ttlMs: number;
}

/** Makes a new ECDSA key and a root certificate that it signs. */
export async function selfSignedAuthority(request: RootRequest): Promise<Authority> {
  const { now, random, ttlMs } = request;
  const { publicKey, privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
  const name = organizationName(request.organization);
  const certificate = await signCertificate(
    {
      issuer: name,
      subject: name,
      publicKey,
      notBefore: now,
      notAfter: now + ttlMs,
      random,
      extensions: rootExtensions(keyIdOf(publicKey)),
    },
    { key: privateKey, family: "P-256" },
  );
  const key = new Sealed(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  return { certificate, key, chain: [], root: certificate };
}

function organizationName(text: string): Name {
  const value = new AttributeValue({ utf8String: text });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: organization, value })])]);
}

/** The first method of RFC 5280: the hash of the key's bits. */
function keyIdOf(key: KeyObject): ArrayBuffer {
  const spki = AsnConvert.parse(key.export({ type: "spki", format: "der" }), SubjectPublicKeyInfo);
  return bufferOf(createHash("sha1").update(Buffer.from(spki.subjectPublicKey)).digest());
}
