import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { madeIntermediate, madeRoot } from "../testing/ca/made-authority.ts";
import { leafOf } from "../testing/ca/signing.ts";
import { isIssuedUnder } from "./issued-under.ts";
import type { Authority } from "./roots.ts";

const read = (pem: string) => new X509Certificate(pem);

/** Authorities one below the other. The first is the root. */
async function tower(intermediates: number): Promise<readonly Authority[]> {
  const authorities = [await madeRoot("root")];
  for (let level = 1; level <= intermediates; level++) {
    const above = authorities.at(-1);
    if (above !== undefined) authorities.push(await madeIntermediate(`level ${level}`, above));
  }
  return authorities;
}

/** A leaf below the lowest authority, the root, and the intermediates from the bottom up. */
async function leafBelow(intermediates: number) {
  const authorities = await tower(intermediates);
  const [root, ...between] = authorities.map(({ certificate }) => read(certificate));
  const lowest = authorities.at(-1);
  if (root === undefined || lowest === undefined) throw new Error("there is a root");
  return { leaf: await leafOf(lowest), root, between: between.toReversed() };
}

test("a certificate of the root is issued under it, and one of another root with the same name is not", async () => {
  const [{ leaf, root }, other] = await Promise.all([leafBelow(0), leafBelow(0)]);
  expect(other.root.subject).toBe(root.subject);
  expect(isIssuedUnder(leaf, [root])).toBe(true);
  expect(isIssuedUnder(leaf, [other.root])).toBe(false);
  expect(isIssuedUnder(leaf, [other.root, root])).toBe(true);
  expect(isIssuedUnder(leaf, [])).toBe(false);
});

test("without ids of keys, the signature tells two roots of one name apart", async () => {
  const [own, other] = await Promise.all([1, 2].map(() => madeRoot("root", { keyIds: false })));
  if (own === undefined || other === undefined) throw new Error("two roots");
  const leaf = await leafOf(own);
  expect(isIssuedUnder(leaf, [read(own.root)])).toBe(true);
  expect(isIssuedUnder(leaf, [read(other.root)])).toBe(false);
});

test("intermediates are known, or sent by the client", async () => {
  const { leaf, root, between } = await leafBelow(2);
  expect(isIssuedUnder(leaf, [root])).toBe(false);
  expect(isIssuedUnder(leaf, [root], between.slice(0, 1))).toBe(false);
  expect(isIssuedUnder(leaf, [root], between)).toBe(true);
  expect(isIssuedUnder(withIssuers(leaf, between), [root])).toBe(true);
});

test("a certificate that is no authority issues nothing", async () => {
  const root = await madeRoot("root");
  const leaf = await madeIntermediate("workload", root, { isAuthority: false });
  const below = await leafOf(leaf, { isChecked: false });
  expect(isIssuedUnder(below, [read(root.certificate)], [read(leaf.certificate)])).toBe(false);
  expect(isIssuedUnder(withIssuers(below, [read(leaf.certificate)]), [read(root.certificate)])).toBe(false);
});

test("a chain has seven intermediates at most", async () => {
  const allowed = await leafBelow(7);
  expect(isIssuedUnder(allowed.leaf, [allowed.root], allowed.between)).toBe(true);
  const longer = await leafBelow(8);
  expect(isIssuedUnder(longer.leaf, [longer.root], longer.between)).toBe(false);
});

test("an endless chain of a client ends", async () => {
  const { leaf } = await leafBelow(0);
  Object.defineProperty(leaf, "issuerCertificate", { value: leaf });
  expect(isIssuedUnder(leaf, [(await leafBelow(0)).root])).toBe(false);
});

/** A certificate as TLS shows it: each certificate of the chain has the next one. */
function withIssuers(certificate: X509Certificate, issuers: readonly X509Certificate[]): X509Certificate {
  const [first, ...rest] = issuers;
  if (first === undefined) return certificate;
  const shown = read(certificate.toString());
  return Object.defineProperty(shown, "issuerCertificate", { value: withIssuers(first, rest) });
}
