import { createHash } from "node:crypto";
import { compareTexts } from "../../lib/compare.ts";
import { Sealed } from "../../lib/sealed.ts";
import type { SecretParts } from "./secret-parts.ts";

/** The content of a Secret. Everything else of the object may be shown. */
export type SealedParts = Sealed<SecretParts>;

export function sealParts(parts: SecretParts): SealedParts {
  return new Sealed(parts);
}

/** Equal for equal parts. It does not tell what they are, so a version that anybody may see can contain it. */
export function partsDigest(sealed: SealedParts): string {
  const hash = createHash("sha256");
  const parts = Object.entries(sealed.reveal()).toSorted(([a], [b]) => compareTexts(a, b));
  for (const [name, part] of parts) hash.update(`${name}\n${part.length}\n`).update(part);
  return hash.digest("hex");
}
