import { expect, test } from "vitest";
import { Sealed } from "../lib/sealed.ts";
import { signingAuthority } from "../testing/ca/signing.ts";
import { openAuthority } from "./authority.ts";
import type { Authority } from "./roots.ts";

test("a self-signed authority has no chain, because its root signs", async () => {
  const { opened } = await signingAuthority({ now: 1_800_000_000_000, ttlMs: 1_000 });
  expect(opened.chain).toEqual([]);
  expect(opened.notAfter).toBe(1_800_000_001_000);
  expect(opened.keyId?.byteLength).toBe(20);
});

test("an authority with parts that do not fit is refused, and the error shows no key", async () => {
  const [one, other] = await Promise.all([signingAuthority(), signingAuthority({ organization: "other" })]);
  const { authority } = one;
  const secret = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQ";
  const broken = new Sealed(`-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`);
  const cases: readonly (readonly [Authority, RegExp])[] = [
    [{ ...authority, key: other.authority.key }, /the key is not the key of the certificate/u],
    [{ ...authority, root: other.authority.root }, /is not signed by "O=other"/u],
    [{ ...authority, certificate: "hello" }, /the certificate is not a certificate in PEM/u],
    [{ ...authority, root: "hello" }, /the root certificate is not a certificate in PEM/u],
    [{ ...authority, key: broken }, /the key is not a private key in PEM/u],
  ];
  for (const [each, message] of cases) {
    const thrown = errorOf(() => openAuthority(each));
    expect(thrown.message).toMatch(message);
    expect(JSON.stringify([thrown, String(thrown), thrown.cause])).not.toContain(secret);
  }
});

function errorOf(run: () => unknown): Error {
  try {
    run();
  } catch (thrown) {
    return thrown as Error;
  }
  throw new Error("nothing was thrown");
}
