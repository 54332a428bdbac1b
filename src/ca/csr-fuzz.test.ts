import fc from "fast-check";
import { expect, test } from "vitest";
import { makeCsr } from "../testing/ca/make-csr.ts";
import { runs, seed } from "../testing/random/seed.ts";
import { readCsr } from "./csr.ts";

const algorithms = ["P-256", "RSA 2048", "Ed25519"] as const;
const change = fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom("set", "insert", "remove", "cut") });

function framed(base64: string): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
}

/** Changes bytes of the DER: tags, lengths and content alike. */
function mutated(der: Buffer, changes: readonly { at: number; byte: number; kind: string }[]): Buffer {
  let bytes = Buffer.from(der);
  for (const { at, byte, kind } of changes) {
    const place = at % (bytes.length + 1);
    const rest = kind === "insert" ? place : place + 1;
    const added = kind === "remove" || kind === "cut" ? [] : [byte];
    const tail = kind === "cut" ? Buffer.alloc(0) : bytes.subarray(rest);
    bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from(added), tail]);
  }
  return bytes;
}

test("a hostile request is invalid, or has the key that its sender possesses", { timeout: runs(60_000) }, async () => {
  const samples = await Promise.all(algorithms.map((algorithm) => makeCsr({ algorithm, subject: "O=shop" })));
  const ders = samples.map(({ csr }) => Buffer.from(csr.replaceAll(/-----[^-]+-----|\s/gu, ""), "base64"));
  const property = fc.asyncProperty(
    fc.nat(algorithms.length - 1),
    fc.array(change, { minLength: 1, maxLength: 6 }),
    async (index, changes) => {
      const der = mutated(ders[index] ?? Buffer.alloc(0), changes);
      const read = await readCsr(framed(der.toString("base64")));
      if (read.type === "invalid") return read.reason !== "";
      return (
        read.publicKey.asymmetricKeyType === samples[index]?.key.asymmetricKeyType && der.equals(ders[index] ?? der)
      );
    },
  );
  await expect(fc.assert(property, { seed, numRuns: runs(1_000) })).resolves.toBeUndefined();
});

test("a text of any letters is invalid", async () => {
  const property = fc.asyncProperty(fc.oneof(fc.string(), fc.base64String().map(framed)), async (text) => {
    return (await readCsr(text)).type === "invalid";
  });
  await expect(fc.assert(property, { seed, numRuns: runs(300) })).resolves.toBeUndefined();
});
