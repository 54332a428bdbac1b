import { randomBytes } from "node:crypto";
import { openAuthority } from "../../ca/authority.ts";
import { selfSignedAuthority } from "../../ca/self-signed.ts";

export const hourMs = 3_600_000;

/** A self-signed authority, ready to sign. */
export async function signingAuthority({ now = Date.now(), ttlMs = 10 * hourMs, organization = "cluster.local" } = {}) {
  const authority = await selfSignedAuthority({ organization, now, ttlMs, random: randomBytes(16) });
  return { authority, opened: openAuthority(authority) };
}
