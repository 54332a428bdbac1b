import { AsnConvert } from "@peculiar/asn1-schema";
import { AlgorithmIdentifier } from "@peculiar/asn1-x509";

const sequence = 0x30;
const bitString = 0x03;

/** The parts of a request around its signed content. */
export interface CsrFrame {
  readonly content: Buffer;
  readonly algorithm: string;
  /** RSA algorithms have the parameter NULL, others have none (RFC 4055, 5758 and 8410). */
  readonly isRsa: boolean;
  readonly signature: Buffer;
}

/** The one encoding (DER) of a request. Its signature does not protect the bytes around the signed content. */
export function encodeCsr({ content, algorithm, isRsa, signature }: CsrFrame): Buffer {
  const identifier = new AlgorithmIdentifier({ algorithm, ...(isRsa && { parameters: null }) });
  const bits = element(bitString, Buffer.concat([Buffer.of(0), signature]));
  return element(sequence, Buffer.concat([content, Buffer.from(AsnConvert.serialize(identifier)), bits]));
}

function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

/** A request has at most 16 KB, so two bytes are enough. */
function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
