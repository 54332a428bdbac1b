import { DerReader, everyElement, tags } from "./der-reader.ts";
import { isOid, isValue } from "./der-value.ts";

/** Whether BoringSSL reads this content as the name of an issuer: sets of attributes, none of them empty. */
export function isName(content: Uint8Array): boolean {
  return content.length <= maxNameBytes && everyElement(content, tags.set, isAttributeSet);
}

/** The limit of BoringSSL. */
const maxNameBytes = 1024 * 1024;

export function isAttributeSet(content: Uint8Array): boolean {
  return content.length > 0 && everyElement(content, tags.sequence, isAttribute);
}

function isAttribute(content: Uint8Array): boolean {
  const reader = new DerReader(content);
  const [type, value] = [reader.read(tags.oid), reader.next()];
  return type !== undefined && isOid(type) && value !== undefined && isValue(value) && reader.isAtEnd;
}

/** Whether BoringSSL reads the element as a `GeneralName` (RFC 5280, section 4.2.1.6). */
export function isGeneralName({ tag, content }: { readonly tag: number; readonly content: Uint8Array }): boolean {
  switch (tag) {
    case 0xa0:
      return isOtherName(content);
    case 0xa3:
    case 0x81:
    case 0x82:
    case 0x86:
    case 0x87:
      return true;
    case 0xa4: {
      const reader = new DerReader(content);
      const name = reader.read(tags.sequence);
      return name !== undefined && isName(name) && reader.isAtEnd;
    }
    case 0xa5:
      return isPartyName(content);
    case 0x88:
      return isOid(content);
    default:
      return false;
  }
}

function isOtherName(content: Uint8Array): boolean {
  const reader = new DerReader(content);
  const [type, explicit] = [reader.read(tags.oid), reader.read(0xa0)];
  if (type === undefined || explicit === undefined || !isOid(type) || !reader.isAtEnd) return false;
  const inner = new DerReader(explicit);
  const value = inner.next();
  return value !== undefined && isValue(value) && inner.isAtEnd;
}

function isPartyName(content: Uint8Array): boolean {
  const reader = new DerReader(content);
  const assigner = reader.read(0xa0);
  const party = reader.read(0xa1);
  if (party === undefined || !reader.isAtEnd) return false;
  return isText(party) && (assigner === undefined || isText(assigner));
}

/** The types of a `DirectoryString`. */
const textTags: ReadonlySet<number> = new Set([0x0c, 0x13, 0x14, 0x1c, 0x1e]);

function isText(content: Uint8Array): boolean {
  const reader = new DerReader(content);
  const value = reader.next();
  return value !== undefined && textTags.has(value.tag) && isValue(value) && reader.isAtEnd;
}
