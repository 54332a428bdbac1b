import { createPrivateKey, X509Certificate } from "node:crypto";
import { type Authority, decodeProgress, type Roots, type RotationProgress } from "../../ca/roots.ts";
import { MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { scalarText } from "../../lib/scalar-text.ts";
import { Sealed } from "../../lib/sealed.ts";

/** The decoded fields of a Secret, by key. */
export type SecretTexts = ReadonlyMap<string, string>;

/**
 * The layout of istiod's `istio-ca-secret` and of `cacerts`. istiod ignores `rotation.json`, so it can take over the
 * Secret, and its own Secrets have none.
 */
const keys = {
  certificate: "ca-cert.pem",
  key: "ca-key.pem",
  chain: "cert-chain.pem",
  trusted: "root-cert.pem",
  rotation: "rotation.json",
} as const;

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu;

/** Undefined for a Secret without an authority. Throws `bad-config` if one of its fields cannot be read. */
export function rootsInSecret(texts: SecretTexts): Roots | undefined {
  const [certificate] = certificatesIn(texts, keys.certificate);
  const key = texts.get(keys.key) ?? "";
  if (certificate === undefined && key === "") return undefined;
  if (certificate === undefined) throw unreadable(keys.certificate, "has no certificate in PEM");
  const roots = certificatesIn(texts, keys.trusted);
  const trusted = roots.length === 0 ? [certificate] : roots;
  const rotation = rotationIn(texts.get(keys.rotation) ?? "");
  const progress = rotation?.progress ?? { phase: "steady", phaseSince: 0 };
  const next = rotation?.next && authorityIn(new Map(rotation.next));
  const signing = { ...chainIn(certificate, certificatesIn(texts, keys.chain), trusted), key: keyIn(key) };
  return { ...progress, signing, ...(next && { next }), trusted };
}

/** The fields of a Secret with these roots. */
export function secretOfRoots({ signing, next, trusted, ...progress }: Roots): SecretTexts {
  const rotation = { ...progress, ...(next && { next: Object.fromEntries(textsOf(next, [next.root])) }) };
  return new Map([...textsOf(signing, trusted), [keys.rotation, `${JSON.stringify(rotation)}\n`]]);
}

function textsOf({ certificate, key, chain }: Authority, trusted: readonly string[]): SecretTexts {
  return new Map([
    [keys.certificate, certificate],
    [keys.key, key.reveal()],
    [keys.chain, chain.map(withEnd).join("")],
    [keys.trusted, trusted.map(withEnd).join("")],
  ]);
}

function authorityIn(texts: SecretTexts): Authority | undefined {
  return rootsInSecret(texts)?.signing;
}

/** `cacerts` repeats the certificate and the root in the chain. */
function chainIn(certificate: string, chain: readonly string[], trusted: readonly string[]) {
  const between = chain.filter((each) => each !== certificate && !trusted.includes(each));
  const last = new X509Certificate(between.at(-1) ?? certificate);
  const root = trusted.find((each) => last.checkIssued(new X509Certificate(each))) ?? trusted[0] ?? certificate;
  return { certificate, chain: between, root };
}

/** istiod writes keys as PKCS#1 or SEC1. */
function keyIn(text: string): Sealed<string> {
  try {
    return new Sealed(createPrivateKey(text).export({ type: "pkcs8", format: "pem" }).toString());
  } catch {
    // The cause could show a part of the key.
    throw unreadable(keys.key, "has no private key in PEM");
  }
}

function certificatesIn(texts: SecretTexts, key: string): readonly string[] {
  const found = texts.get(key)?.match(pemCertificate) ?? [];
  try {
    return found.map((pem) => new X509Certificate(pem).toString());
  } catch (cause) {
    throw unreadable(key, "has a certificate that cannot be read", cause);
  }
}

interface Rotation {
  readonly progress: RotationProgress;
  readonly next: readonly (readonly [string, string])[] | undefined;
}

function rotationIn(text: string): Rotation | undefined {
  if (text === "") return undefined;
  const raw = parseJson(text);
  const { next, ...rest } = isMapping(raw) ? raw : {};
  const progress = decodeProgress(rest);
  if (progress === undefined) throw unreadable(keys.rotation, "is not one that we wrote");
  const texts = isMapping(next)
    ? Object.entries(next).map(([key, value]) => [key, scalarText(value)] as const)
    : undefined;
  return { progress, next: texts };
}

function withEnd(pem: string): string {
  return pem.endsWith("\n") ? pem : `${pem}\n`;
}

function unreadable(key: string, problem: string, cause?: unknown): MeshError {
  return new MeshError("bad-config", `the Secret of the certificate authority: ${key} ${problem}`, { cause });
}
