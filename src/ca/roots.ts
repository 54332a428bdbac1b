import { isMapping } from "../lib/is-mapping.ts";
import { parseJson } from "../lib/parse-json.ts";
import { Sealed } from "../lib/sealed.ts";

/** A certificate that signs others, with its private key. All certificates are PEM. */
export interface Authority {
  readonly certificate: string;
  /** PKCS#8, PEM. */
  readonly key: Sealed<string>;
  /** The certificates between `certificate` and `root`, from the bottom up. Without both ends. */
  readonly chain: readonly string[];
  /** The root that workloads trust. Equals `certificate` for a self-signed authority. */
  readonly root: string;
}

/** The phases of a root rotation. */
const rotationPhases = ["steady", "distribute", "sign", "retire"] as const;

export type RotationPhase = (typeof rotationPhases)[number];

/** The state of the certificate authority that all replicas share. */
export interface Roots {
  readonly phase: RotationPhase;
  /** When the phase began, in milliseconds since 1970. */
  readonly phaseSince: number;
  /** Signs certificates now. */
  readonly signing: Authority;
  /** Signs certificates in a later phase. */
  readonly next?: Authority;
  /**
   * No certificate that `signing` has signed lives longer. Undefined for an authority that others may have used: its
   * certificates may live for the longest time that clients may ask for.
   */
  readonly longestTtlMs?: number;
  /** The longest life of the certificates that the rotation waits for; undefined if it is not known, and in `steady`. */
  readonly awaitedTtlMs?: number;
  /** Every root certificate that workloads must trust now, PEM. */
  readonly trusted: readonly string[];
}

/** The text to store. It contains private keys. */
export function encodeRoots({ signing, next, ...rest }: Roots): Sealed<string> {
  const kept = { ...rest, signing: encodeAuthority(signing), ...(next && { next: encodeAuthority(next) }) };
  return new Sealed(`${JSON.stringify(kept, undefined, 2)}\n`);
}

function encodeAuthority({ key, ...rest }: Authority) {
  return { ...rest, key: key.reveal() };
}

/** Undefined if the text is not one that {@link encodeRoots} wrote. Certificates and keys are not checked. */
export function decodeRoots(text: string): Roots | undefined {
  const raw = parseJson(text);
  if (!isMapping(raw)) return undefined;
  const { trusted } = raw;
  const progress = decodeProgress(raw);
  const signing = decodeAuthority(raw["signing"]);
  const next = decodeAuthority(raw["next"]);
  if (progress === undefined || signing === undefined || !isTexts(trusted)) return undefined;
  if (raw["next"] !== undefined && next === undefined) return undefined;
  return { ...progress, signing, ...(next && { next }), trusted };
}

/** The fields of {@link Roots} that hold no certificates. */
export type RotationProgress = Pick<Roots, "phase" | "phaseSince" | "longestTtlMs" | "awaitedTtlMs">;

/** Undefined if a field is missing or has no valid value. */
export function decodeProgress(raw: Readonly<Record<string, unknown>>): RotationProgress | undefined {
  const { phaseSince, longestTtlMs, awaitedTtlMs } = raw;
  const phase = rotationPhases.find((known) => known === raw["phase"]);
  if (phase === undefined || typeof phaseSince !== "number") return undefined;
  if (!isOptionalTtl(longestTtlMs) || !isOptionalTtl(awaitedTtlMs)) return undefined;
  return {
    phase,
    phaseSince,
    ...(longestTtlMs !== undefined && { longestTtlMs }),
    ...(awaitedTtlMs !== undefined && { awaitedTtlMs }),
  };
}

function isOptionalTtl(raw: unknown): raw is number | undefined {
  return raw === undefined || (typeof raw === "number" && raw > 0);
}

function decodeAuthority(raw: unknown): Authority | undefined {
  if (!isMapping(raw)) return undefined;
  const { certificate, key, chain, root } = raw;
  if (typeof certificate !== "string" || typeof key !== "string" || typeof root !== "string") return undefined;
  return isTexts(chain) ? { certificate, key: new Sealed(key), chain, root } : undefined;
}

function isTexts(raw: unknown): raw is readonly string[] {
  return Array.isArray(raw) && raw.every((each) => typeof each === "string");
}
