import { X509Certificate } from "node:crypto";
// The certificate library asks for it, and for it to come first.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { expect, test } from "vitest";
import { Sealed } from "../lib/sealed.ts";
import { madeIntermediate, madeRoot } from "../testing/ca/made-authority.ts";
import { signingAuthority } from "../testing/ca/signing.ts";
import { openAuthority } from "./authority.ts";
import type { Authority } from "./roots.ts";

test("a self-signed authority has no chain, because its root signs", async () => {
  const { opened } = await signingAuthority({ now: 1_800_000_000_000, ttlMs: 1_000 });
  expect(opened.chain).toEqual([]);
  expect(opened.notAfter).toBe(1_800_000_001_000);
  expect(opened.keyId?.byteLength).toBe(20);
});

test("an authority expires with the first certificate of its chain", async () => {
  const root = await madeRoot("root", { hours: 3 });
  const upper = await madeIntermediate("upper", root, { hours: 1 });
  const lower = await madeIntermediate("lower", upper, { hours: 2 });
  const opened = openAuthority(lower);
  expect(opened.notAfter).toBe(new X509Certificate(upper.certificate).validToDate.getTime());
  expect(opened.chain.map((pem) => new X509Certificate(pem).subject)).toEqual(["O=lower", "O=upper"]);
});

test("a certificate that must not sign others is no authority, nor is one above it", async () => {
  const root = await madeRoot("root");
  const workload = await madeIntermediate("workload", root, { isAuthority: false });
  expect(() => openAuthority(workload)).toThrow('"O=workload" must not sign certificates');
  const below = await madeIntermediate("below", workload);
  expect(() => openAuthority(below)).toThrow('"O=workload" must not sign certificates');
  const usages = x509.KeyUsageFlags.digitalSignature;
  const sign = await madeIntermediate("sign", root, { usages });
  expect(() => openAuthority(sign)).toThrow('"O=sign" must not sign certificates');
});

test("a chain is verified by signatures, not by names", async () => {
  const [own, other] = await Promise.all([1, 2].map(() => madeRoot("root", { keyIds: false })));
  if (own === undefined || other === undefined) throw new Error("two roots");
  const below = await madeIntermediate("below", own);
  expect(openAuthority(below).chain).toHaveLength(1);
  expect(() => openAuthority({ ...below, root: other.root })).toThrow('"O=below" is not signed by "O=root"');
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
