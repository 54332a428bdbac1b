import fc from "fast-check";
import { makeCsr } from "./make-csr.ts";

const algorithms = ["P-256", "RSA 2048", "Ed25519"] as const;
const change = fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom("set", "insert", "remove", "cut") });

/** A certificate request that was changed, and the valid one before. */
export interface HostileCsr {
  readonly csr: string;
  /** Whether the changes cancelled each other out. */
  readonly isIntact: boolean;
  /** The type of the key of the valid request. */
  readonly keyType: string | undefined;
}

/** Requests of valid senders with changed bytes: tags, lengths and content alike. */
export async function hostileCsrs(): Promise<fc.Arbitrary<HostileCsr>> {
  const samples = await Promise.all(algorithms.map((algorithm) => makeCsr({ algorithm, subject: "O=shop" })));
  const ders = samples.map(({ csr }) => Buffer.from(csr.replaceAll(/-----[^-]+-----|\s/gu, ""), "base64"));
  return fc
    .tuple(fc.nat(algorithms.length - 1), fc.array(change, { minLength: 1, maxLength: 6 }))
    .map(([index, changes]) => {
      const whole = ders[index] ?? Buffer.alloc(0);
      const der = changed(whole, changes);
      const keyType = samples[index]?.key.asymmetricKeyType;
      return { csr: framed(der.toString("base64")), isIntact: der.equals(whole), keyType };
    });
}

/** Any base64 text in the frame of a request. */
export function framed(base64: string): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
}

function changed(der: Buffer, changes: readonly { at: number; byte: number; kind: string }[]): Buffer {
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
