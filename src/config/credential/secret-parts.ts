/** The parts of a Secret or ConfigMap by their key, as far as they belong to a certificate or open a registry of images. */
export type SecretParts = Readonly<Record<string, Uint8Array>>;

/** The names of a certificate and its key: first the older ones that Istio also reads, then those of Kubernetes. */
export const pairNames = [
  { chain: "cert", key: "key", staple: undefined },
  { chain: "tls.crt", key: "tls.key", staple: "tls.ocsp-staple" },
] as const;

/** The names of CA certificates and of their revocation list, in the same order. */
export const authorityNames = [
  { certificates: "cacert", revocations: "crl" },
  { certificates: "ca.crt", revocations: "ca.crl" },
] as const;

/** The only type of Secret with credentials for a registry of images, and the name of its only part. */
export const pullSecretType = "kubernetes.io/dockerconfigjson";
export const pullSecretPart = ".dockerconfigjson";

const usedNames: ReadonlySet<string> = new Set([
  ...pairNames.flatMap(({ chain, key, staple }) => [chain, key, ...(staple === undefined ? [] : [staple])]),
  ...authorityNames.flatMap(({ certificates, revocations }) => [certificates, revocations]),
]);

/** Whether a key of a Secret belongs to a certificate. Nothing else of a Secret is kept. */
export function isCredentialPart(name: string): boolean {
  return usedNames.has(name);
}

/** A certificate with its private key, in PEM. The staple is DER. */
export interface CertificatePair {
  readonly names: (typeof pairNames)[number];
  readonly chain: Uint8Array;
  readonly key: Uint8Array;
  readonly staple: Uint8Array | undefined;
}

/** CA certificates and a revocation list, in PEM. */
export interface Authorities {
  readonly names: (typeof authorityNames)[number];
  readonly certificates: Uint8Array;
  readonly revocations: Uint8Array | undefined;
}

/** The first complete pair. Parts without content count as missing. */
export function pairIn(parts: SecretParts): CertificatePair | undefined {
  for (const names of pairNames) {
    const [chain, key] = [partOf(parts, names.chain), partOf(parts, names.key)];
    if (chain === undefined || key === undefined) continue;
    return { names, chain, key, staple: names.staple === undefined ? undefined : partOf(parts, names.staple) };
  }
  return undefined;
}

export function authoritiesIn(parts: SecretParts): Authorities | undefined {
  for (const names of authorityNames) {
    const certificates = partOf(parts, names.certificates);
    if (certificates !== undefined) return { names, certificates, revocations: partOf(parts, names.revocations) };
  }
  return undefined;
}

/** The credentials for registries of images, as JSON. */
export function pullConfigIn(parts: SecretParts): Uint8Array | undefined {
  return partOf(parts, pullSecretPart);
}

function partOf(parts: SecretParts, name: string): Uint8Array | undefined {
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  return part === undefined || part.length === 0 ? undefined : part;
}
