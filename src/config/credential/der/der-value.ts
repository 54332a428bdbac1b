import { type DerElement, tags } from "./der-reader.ts";

/** Universal types that contain other elements. All others are plain. */
const constructedTypes: ReadonlySet<number> = new Set([8, 11, 16, 17, 29]);

/** Whether BoringSSL accepts a value of any type: the content of the types that it knows must be right. */
export function isValue({ tag, content }: DerElement): boolean {
  const isUniversal = tag < 0x40;
  const number = tag & 0x1f;
  if (isUniversal && number !== 15 && constructedTypes.has(number) !== (tag & 0x20) > 0) return false;
  return checks[tag]?.(content) ?? true;
}

const checks: Readonly<Record<number, (content: Uint8Array) => boolean>> = {
  [tags.boolean]: (content) => content.length === 1 && (content[0] === 0 || content[0] === 0xff),
  [tags.integer]: isInteger,
  [tags.enumerated]: isInteger,
  [tags.bitString]: isBitString,
  [tags.null]: (content) => content.length === 0,
  [tags.oid]: isOid,
  [tags.utf8String]: isUtf8,
  [tags.utcTime]: isUtcTime,
  [tags.generalizedTime]: isGeneralizedTime,
  [tags.universalString]: isUniversalString,
  [tags.bmpString]: isBmpString,
};

/** In fields of a known type BoringSSL takes every byte but 0 for true. */
export function isBoolean(content: Uint8Array): boolean {
  return content.length === 1;
}

/** In the shortest form: no first byte that only repeats the sign. */
export function isInteger([first, second]: Uint8Array): boolean {
  if (first === undefined) return false;
  if (second === undefined) return true;
  return !(first === 0 && second < 0x80) && !(first === 0xff && second >= 0x80);
}

/** The first byte counts the unused bits of the last one, which are zero. */
export function isBitString(content: Uint8Array): boolean {
  const [unused, last] = [content[0], content.at(-1) ?? 0];
  if (unused === undefined || unused > 7) return false;
  return unused === 0 || (content.length > 1 && (last & ((1 << unused) - 1)) === 0);
}

/** Numbers in base 128: each ends with a byte under 128, and begins without padding. */
export function isOid(content: Uint8Array): boolean {
  const isPadded = content.some((byte, at) => byte === 0x80 && (content[at - 1] ?? 0) < 0x80);
  return !isPadded && (content.at(-1) ?? 0x80) < 0x80;
}

/** With a year of two digits, between 1950 and 2049. BoringSSL accepts offsets here. */
export function isUtcTime(content: Uint8Array): boolean {
  const found = /^(?<year>\d{2})(?<rest>\d{10})(?:Z|[+-](?:[01]\d|2[0-3])[0-5]\d)$/u.exec(textOf(content))?.groups;
  if (found === undefined) return false;
  const year = Number(found["year"]);
  return isMoment(year + (year < 50 ? 2000 : 1900), found["rest"] ?? "");
}

export function isGeneralizedTime(content: Uint8Array): boolean {
  const found = /^(?<year>\d{4})(?<rest>\d{10})Z$/u.exec(textOf(content))?.groups;
  return found !== undefined && isMoment(Number(found["year"]), found["rest"] ?? "");
}

/** `rest` is month, day, hour, minute and second, with two digits each. */
function isMoment(year: number, rest: string): boolean {
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = (rest.match(/../gu) ?? []).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= days && hour <= 23 && minute <= 59 && second <= 59;
}

function isUtf8(content: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    for (const character of text) if (!isCharacter(character.codePointAt(0) ?? 0)) return false;
    return true;
  } catch {
    return false;
  }
}

/** Characters of two bytes. */
function isBmpString(content: Uint8Array): boolean {
  return areCharacters(content, 2);
}

/** Characters of four bytes. */
function isUniversalString(content: Uint8Array): boolean {
  return areCharacters(content, 4);
}

function areCharacters(content: Uint8Array, size: 2 | 4): boolean {
  if (content.length % size !== 0) return false;
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) if (!isCharacter(bytes.readUIntBE(at, size))) return false;
  return true;
}

/** Neither half of a pair, nor a code point that stands for no character. */
function isCharacter(code: number): boolean {
  const isHalf = code >= 0xd8_00 && code <= 0xdf_ff;
  const isNone = (code >= 0xfd_d0 && code <= 0xfd_ef) || (code & 0xff_fe) === 0xff_fe;
  return code <= 0x10_ff_ff && !isHalf && !isNone;
}

function textOf(content: Uint8Array): string {
  return Buffer.from(content).toString("latin1");
}
