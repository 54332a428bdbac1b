import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { AsnConvert } from "@peculiar/asn1-schema";
import { Certificate } from "@peculiar/asn1-x509";
import { type OpenAuthority, openAuthority } from "../../ca/authority.ts";
import type { SubjectName } from "../../ca/extensions.ts";
import { signLeaf } from "../../ca/leaf.ts";
import type { Authority } from "../../ca/roots.ts";
import { selfSignedAuthority } from "../../ca/self-signed.ts";

export const hourMs = 3_600_000;

/** A self-signed authority, ready to sign. */
export async function signingAuthority({ now = Date.now(), ttlMs = 10 * hourMs, organization = "cluster.local" } = {}) {
  const authority = await selfSignedAuthority({ organization, now, ttlMs, random: randomBytes(16) });
  return { authority, opened: openAuthority(authority) };
}

export interface TestLeaf {
  readonly uris?: readonly string[];
  readonly now?: number;
  readonly ttlMs?: number;
  /** False to sign with a certificate that is no authority. */
  readonly isChecked?: boolean;
}

/** A certificate of a workload. */
export async function leafOf(authority: Authority, options: TestLeaf = {}): Promise<X509Certificate> {
  const { uris = ["spiffe://cluster.local/ns/shop/sa/reviews"], isChecked = true } = options;
  const { now = Date.now(), ttlMs = hourMs } = options;
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const names = uris.map((value): SubjectName => ({ type: "uri", value }));
  const signer = isChecked ? openAuthority(authority) : unchecked(authority);
  const leaf = await signLeaf(signer, { names, publicKey, ttlMs, now, random: randomBytes(16) });
  return new X509Certificate(leaf?.certificate ?? "");
}

function unchecked({ certificate, root, key }: Authority): OpenAuthority {
  const { subject: name } = AsnConvert.parse(new X509Certificate(certificate).raw, Certificate).tbsCertificate;
  const notAfter = Number.POSITIVE_INFINITY;
  const parts = { name, keyId: undefined, key: createPrivateKey(key.reveal()), chain: [], notAfter };
  return { ...parts, family: "P-256", root: new X509Certificate(root) };
}
