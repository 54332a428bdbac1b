import { CertificationRequest } from "@peculiar/asn1-csr";
import { AsnConvert } from "@peculiar/asn1-schema";
import { expect, test } from "vitest";
import { framed } from "../testing/ca/hostile-csr.ts";
import { makeCsr } from "../testing/ca/make-csr.ts";
import { caLimits } from "./ca-limits.ts";
import { readCsr } from "./csr.ts";

test.each(["P-256", "P-384", "Ed25519", "RSA 2048", "RSA 2048 SHA-512"] as const)(
  "a request with a %s key proves the possession of its key",
  async (algorithm) => {
    const { csr, key } = await makeCsr({ algorithm });
    const result = await readCsr(csr);
    expect(result.type).toBe("valid");
    if (result.type !== "valid") return;
    const { publicKey } = result;
    expect(publicKey.asymmetricKeyType).toBe(key.asymmetricKeyType);
  },
);

test.each([
  ["RSA 1024", "its RSA key has 1024 bits, fewer than 2048"],
  ["P-521", "its key is not RSA, ECDSA P-256, ECDSA P-384 or Ed25519"],
  ["RSA 2048 SHA-1", "its signature algorithm is not supported"],
] as const)("a request with %s is invalid", async (algorithm, reason) => {
  const { csr } = await makeCsr({ algorithm });
  expect(await readCsr(csr)).toEqual({ type: "invalid", reason });
});

test("a request whose signature was made with another key is invalid", async () => {
  const [victim, attacker] = await Promise.all([makeCsr({ subject: "O=one" }), makeCsr({ subject: "O=two" })]);
  const forged = AsnConvert.parse(derOf(victim.csr), CertificationRequest);
  forged.signature = AsnConvert.parse(derOf(attacker.csr), CertificationRequest).signature;
  const text = pemOf(Buffer.from(AsnConvert.serialize(forged)));
  expect(await readCsr(text)).toEqual({ type: "invalid", reason: "its signature does not match its key" });
});

test("a request whose signature algorithm is not one for its key is invalid", async () => {
  const [rsa, ecdsa] = await Promise.all([makeCsr({ algorithm: "RSA 2048" }), makeCsr()]);
  const mixed = AsnConvert.parse(derOf(rsa.csr), CertificationRequest);
  mixed.signatureAlgorithm = AsnConvert.parse(derOf(ecdsa.csr), CertificationRequest).signatureAlgorithm;
  const text = pemOf(Buffer.from(AsnConvert.serialize(mixed)));
  expect(await readCsr(text)).toEqual({ type: "invalid", reason: "its signature algorithm is not supported" });
});

test.each([
  ["nothing", ""],
  ["no PEM", "hello"],
  ["a certificate", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----"],
  ["letters that are no base64", "-----BEGIN CERTIFICATE REQUEST-----\nM*A=\n-----END CERTIFICATE REQUEST-----"],
])("%s is no request", async (_what, text) => {
  expect(await readCsr(text)).toEqual({ type: "invalid", reason: "it is not one certificate request in PEM" });
});

test("two requests in one text are invalid", async () => {
  const { csr } = await makeCsr();
  expect(await readCsr(`${csr}\n${csr}`)).toMatchObject({ type: "invalid" });
});

test("a request with bytes after its end is invalid", async () => {
  const { csr } = await makeCsr();
  const longer = Buffer.concat([derOf(csr), Buffer.from([5, 0])]);
  expect(await readCsr(pemOf(longer))).toEqual({ type: "invalid", reason: "bytes follow after its end" });
});

test("a request above the size limit is not parsed", async () => {
  const { most } = caLimits.csrBytes;
  const { csr } = await makeCsr();
  expect(await readCsr(csr.padEnd(most, "\n"))).toMatchObject({ type: "valid" });
  expect(await readCsr(csr.padEnd(most + 1, "\n"))).toMatchObject({ reason: `it is larger than ${most} bytes` });
});

function derOf(csr: string): Buffer {
  return Buffer.from(csr.replaceAll(/-----[^-]+-----|\s/gu, ""), "base64");
}

function pemOf(der: Buffer): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
}

test("a request whose signature counts bits that it does not have is not encoded in DER", async () => {
  const { csr } = await makeCsr({ algorithm: "Ed25519" });
  const der = Buffer.from(csr.replaceAll(/-----[^-]+-----|\s/gu, ""), "base64");
  const unusedBits = der.length - 65;
  expect(der[unusedBits]).toBe(0);
  der[unusedBits] = 1;
  const changed = framed(der.toString("base64"));
  expect(await readCsr(changed)).toEqual({ type: "invalid", reason: "it is not encoded in DER" });
});
