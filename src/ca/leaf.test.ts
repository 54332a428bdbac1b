import { randomBytes, X509Certificate } from "node:crypto";
// The certificate library asks for it, and for it to come first.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { expect, test } from "vitest";
import { hourMs, signingAuthority } from "../testing/ca/signing.ts";
import { makeCsr } from "../testing/ca/make-csr.ts";
import { readCsr } from "./csr.ts";
import { type LeafRequest, signLeaf } from "./leaf.ts";

const now = 1_800_000_000_000;
const identity = "spiffe://cluster.local/ns/shop/sa/reviews";

async function requested(more: Partial<LeafRequest> = {}): Promise<LeafRequest> {
  const read = await readCsr((await makeCsr()).csr);
  if (read.type !== "valid") throw new Error(read.reason);
  const { publicKey } = read;
  return { names: [{ type: "uri", value: identity }], publicKey, ttlMs: hourMs, now, random: randomBytes(16), ...more };
}

test("a leaf is signed by its authority for its names, two minutes before and its time to live after now", async () => {
  const { opened } = await signingAuthority({ now });
  const request = await requested();
  const leaf = await signLeaf(opened, request);
  const certificate = new X509Certificate(leaf?.certificate ?? "");
  expect(certificate.checkIssued(opened.root)).toBe(true);
  expect(certificate.verify(opened.root.publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.subjectAltName).toBe(`URI:${identity}`);
  expect(certificate.subject ?? "").toBe("");
  expect(certificate.validFromDate.getTime()).toBe(now - 120_000);
  expect(certificate.validToDate.getTime()).toBe(now + hourMs);
  expect(leaf?.notAfter).toBe(now + hourMs);
  expect(certificate.publicKey.equals(request.publicKey)).toBe(true);
});

test("a leaf has the extensions of istiod, in its order", async () => {
  const { opened } = await signingAuthority({ now });
  const leaf = await signLeaf(opened, await requested());
  const { extensions } = new x509.X509Certificate(leaf?.certificate ?? "");
  const shown = extensions.map(({ type, critical, value }) => [type, critical, Buffer.from(value).toString("hex")]);
  const keyId = Buffer.from(opened.keyId ?? new ArrayBuffer(0)).toString("hex");
  const uri = Buffer.from(identity);
  expect(shown).toEqual([
    // Digital signature and key encipherment.
    ["2.5.29.15", true, "030205a0"],
    // TLS servers and TLS clients.
    ["2.5.29.37", false, "301406082b0601050507030106082b06010505070302"],
    // No authority.
    ["2.5.29.19", true, "3000"],
    ["2.5.29.35", false, `30168014${keyId}`],
    ["2.5.29.17", true, `30${byte(uri.length + 2)}86${byte(uri.length)}${uri.toString("hex")}`],
  ]);
});

function byte(value: number): string {
  return value.toString(16).padStart(2, "0");
}

test("a leaf never outlives its authority", async () => {
  const { opened } = await signingAuthority({ now, ttlMs: 2 * hourMs });
  const leaf = await signLeaf(opened, await requested({ ttlMs: 24 * hourMs }));
  expect(new X509Certificate(leaf?.certificate ?? "").validToDate.getTime()).toBe(now + 2 * hourMs);
});

test("an expired authority signs nothing", async () => {
  const { opened } = await signingAuthority({ now: now - 2 * hourMs, ttlMs: hourMs });
  expect(await signLeaf(opened, await requested())).toBeUndefined();
});

test("serial numbers are positive and keep the random bytes", async () => {
  const { opened } = await signingAuthority({ now });
  const serialOf = async (random: Uint8Array) => {
    const leaf = await signLeaf(opened, await requested({ random }));
    return new X509Certificate(leaf?.certificate ?? "").serialNumber;
  };
  expect(await serialOf(Buffer.alloc(16, 0xff))).toBe("7F".padEnd(32, "F"));
  expect(await serialOf(Buffer.alloc(16))).toBe("40".padEnd(32, "0"));
});

test("a leaf of a server has its DNS names and addresses", async () => {
  const { opened } = await signingAuthority({ now });
  const names = [
    { type: "dns", value: "istiod.istio-system.svc" },
    { type: "ip", value: "127.0.0.1" },
    { type: "ip", value: "::1" },
  ] as const;
  const leaf = await signLeaf(opened, await requested({ names }));
  const certificate = new X509Certificate(leaf?.certificate ?? "");
  expect(certificate.checkHost("istiod.istio-system.svc")).toBe("istiod.istio-system.svc");
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(certificate.checkIP("::1")).toBe("::1");
});
