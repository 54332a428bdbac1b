import { isAttributeSet, isGeneralName } from "./der/der-name.ts";
import { DerReader, tags } from "./der/der-reader.ts";
import { isBitString, isBoolean, isInteger } from "./der/der-value.ts";

/** The content of the only element, which is a sequence. */
function sequenceIn(der: Uint8Array): Uint8Array | undefined {
  const reader = new DerReader(der);
  const content = reader.read(tags.sequence);
  return reader.isAtEnd ? content : undefined;
}

/** Fields in this order, all optional. */
function areFields(
  content: Uint8Array,
  fields: readonly (readonly [number, (content: Uint8Array) => boolean])[],
): boolean {
  const reader = new DerReader(content);
  for (const [tag, check] of fields) {
    const field = reader.read(tag);
    if (field !== undefined && !check(field)) return false;
  }
  return reader.isAtEnd;
}

/** Whether BoringSSL reads the extension that says which certificates a list is about (RFC 5280, section 5.2.5). */
export function isDistributionPoint(value: Uint8Array): boolean {
  const content = sequenceIn(value);
  if (content === undefined) return false;
  return areFields(content, [
    [0xa0, isPointName],
    [0x81, isBoolean],
    [0x82, isBoolean],
    [0x83, isBitString],
    [0x84, isBoolean],
    [0x85, isBoolean],
  ]);
}

/** Full names, or attributes relative to the issuer. */
function isPointName(content: Uint8Array): boolean {
  const reader = new DerReader(content);
  const name = reader.next();
  if (name === undefined || !reader.isAtEnd) return false;
  if (name.tag === 0xa0) return areGeneralNames(name.content);
  return name.tag === 0xa1 && isAttributeSet(name.content);
}

function areGeneralNames(content: Uint8Array): boolean {
  const reader = new DerReader(content);
  while (!reader.isAtEnd) {
    const name = reader.next();
    if (name === undefined || !isGeneralName(name)) return false;
  }
  return true;
}

/** Whether BoringSSL reads the extension that identifies the key of the issuer (RFC 5280, section 4.2.1.1). */
export function isKeyIdentifier(value: Uint8Array): boolean {
  const content = sequenceIn(value);
  if (content === undefined) return false;
  return areFields(content, [
    [0x80, () => true],
    [0xa1, areGeneralNames],
    [0x82, isInteger],
  ]);
}
