import { generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { makeCsr as makeForeignCsr } from "../testing/ca/make-csr.ts";
import { openAuthority } from "./authority.ts";
import { readCsr } from "./csr.ts";
import { certifiesExactly, requestsExactly } from "./exact-names.ts";
import type { SubjectName } from "./extensions.ts";
import { signLeaf } from "./leaf.ts";
import { makeCsr } from "./make-csr.ts";
import { selfSignedAuthority } from "./self-signed.ts";

const uri: SubjectName = { type: "uri", value: "spiffe://cluster.local/ns/shop/sa/reviews" };
const dns: SubjectName = { type: "dns", value: "shop.example" };
const ips: readonly SubjectName[] = [
  { type: "ip", value: "127.0.0.1" },
  { type: "ip", value: "::1" },
];

test.each([
  { asked: [uri], expected: [uri], exact: true },
  { asked: [dns, ...ips], expected: [...ips, dns], exact: true },
  { asked: [uri, dns], expected: [uri], exact: false },
  { asked: [uri], expected: [uri, dns], exact: false },
  { asked: [{ type: "dns", value: uri.value }], expected: [uri], exact: false },
  { asked: [], expected: [uri], exact: false },
] as const)(
  "a request and a certificate for $asked have exactly $expected: $exact",
  async ({ asked, expected, exact }) => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const csr = await makeCsr(asked, privateKey);
    expect(await readCsr(csr)).toMatchObject({ type: "valid" });
    expect(requestsExactly(csr, expected)).toBe(exact);
    const time = { now: 0, ttlMs: 3_600_000 };
    const made = await selfSignedAuthority({ organization: "shop", random: randomBytes(16), ...time });
    const leaf = await signLeaf(openAuthority(made), { names: asked, publicKey, random: randomBytes(16), ...time });
    expect(certifiesExactly(new X509Certificate(leaf?.certificate ?? "").raw, expected)).toBe(exact);
  },
);

test("a request of another program is read alike, and a common name is one name too many", async () => {
  const names = [{ type: "url", value: uri.value }] as const;
  const { csr } = await makeForeignCsr({ names });
  expect(requestsExactly(csr, [uri])).toBe(true);
  const { csr: named } = await makeForeignCsr({ names, subject: "CN=admin" });
  expect(requestsExactly(named, [uri])).toBe(false);
  const { csr: nameless } = await makeForeignCsr();
  expect(requestsExactly(nameless, [uri])).toBe(false);
});

test("a text that is no request has no names", () => {
  expect(requestsExactly("nothing", [uri])).toBe(false);
  expect(certifiesExactly(Buffer.from("nothing"), [uri])).toBe(false);
});
