import { isName } from "./der/der-name.ts";
import { DerReader, everyElement, tags } from "./der/der-reader.ts";
import { isBitString, isBoolean, isGeneralizedTime, isInteger, isOid, isUtcTime, isValue } from "./der/der-value.ts";
import { isDistributionPoint, isKeyIdentifier } from "./list-extensions.ts";

/**
 * Whether Envoy can load these bytes as a list of revoked certificates (RFC 5280, section 5). The rules are those of
 * BoringSSL, which is part of Envoy. For one unreadable list Envoy rejects the response with all other secrets of it.
 * Signatures and dates are not checked: Envoy does so for each connection.
 */
export function isRevocationList(der: Uint8Array): boolean {
  const outer = new DerReader(der).read(tags.sequence);
  if (outer === undefined) return false;
  const reader = new DerReader(outer);
  const list = reader.read(tags.sequence);
  const algorithm = reader.read(tags.sequence);
  const signature = reader.read(tags.bitString);
  if (list === undefined || algorithm === undefined || signature === undefined || !reader.isAtEnd) return false;
  return isList(list) && isAlgorithm(algorithm) && isBitString(signature);
}

/** The tag of the optional extensions. */
const extensionsTag = 0xa0;

function isList(content: Uint8Array): boolean {
  const reader = new DerReader(content);
  const version = reader.read(tags.integer);
  // The second version is written as 1. The first is the default, so it is not written. It has no extensions.
  if (version !== undefined && (version.length !== 1 || version[0] !== 1)) return false;
  const [algorithm, issuer] = [reader.read(tags.sequence), reader.read(tags.sequence)];
  if (algorithm === undefined || issuer === undefined || !isAlgorithm(algorithm) || !isName(issuer)) return false;
  if (readTime(reader) !== "valid" || readTime(reader) === "invalid") return false;
  const entries = reader.read(tags.sequence);
  const isSecond = version !== undefined;
  if (entries !== undefined && !everyElement(entries, tags.sequence, (entry) => isEntry(entry, isSecond))) return false;
  if (reader.isAtEnd) return true;
  const explicit = new DerReader(reader.read(extensionsTag) ?? new Uint8Array());
  const extensions = explicit.read(tags.sequence);
  if (!isSecond || extensions === undefined || !explicit.isAtEnd || !reader.isAtEnd) return false;
  return areExtensions(extensions) && areReadable(extensions);
}

function readTime(reader: DerReader): "valid" | "invalid" | "absent" {
  const short = reader.read(tags.utcTime);
  if (short !== undefined) return isUtcTime(short) ? "valid" : "invalid";
  const long = reader.read(tags.generalizedTime);
  if (long !== undefined) return isGeneralizedTime(long) ? "valid" : "invalid";
  return "absent";
}

function isAlgorithm(content: Uint8Array): boolean {
  const reader = new DerReader(content);
  const type = reader.read(tags.oid);
  if (type === undefined || !isOid(type)) return false;
  if (reader.isAtEnd) return true;
  const parameter = reader.next();
  return parameter !== undefined && isValue(parameter) && reader.isAtEnd;
}

/** A revoked certificate. */
function isEntry(content: Uint8Array, mayExtend: boolean): boolean {
  const reader = new DerReader(content);
  const serial = reader.read(tags.integer);
  if (serial === undefined || !isInteger(serial) || readTime(reader) !== "valid") return false;
  if (reader.isAtEnd) return true;
  const extensions = reader.read(tags.sequence);
  return mayExtend && extensions !== undefined && areExtensions(extensions) && reader.isAtEnd;
}

/** At least one: an empty list is left out. */
function areExtensions(content: Uint8Array): boolean {
  return content.length > 0 && everyElement(content, tags.sequence, (each) => extensionIn(each) !== undefined);
}

interface Extension {
  /** The number, in hexadecimal. */
  readonly type: string;
  readonly value: Uint8Array;
}

function extensionIn(content: Uint8Array): Extension | undefined {
  const reader = new DerReader(content);
  const type = reader.read(tags.oid);
  const critical = reader.read(tags.boolean);
  const value = reader.read(tags.octetString);
  if (type === undefined || value === undefined || !isOid(type) || !reader.isAtEnd) return undefined;
  if (critical !== undefined && !isBoolean(critical)) return undefined;
  return { type: Buffer.from(type).toString("hex"), value };
}

/** The extensions of a list that BoringSSL reads at once, by their numbers 2.5.29.28 and 2.5.29.35. */
const readExtensions: Readonly<Record<string, (value: Uint8Array) => boolean>> = {
  "551d1c": isDistributionPoint,
  "551d23": isKeyIdentifier,
};

/** Each of these extensions occurs once at most. */
function areReadable(content: Uint8Array): boolean {
  const seen = new Set<string>();
  return everyElement(content, tags.sequence, (each) => {
    const { type = "", value = new Uint8Array() } = extensionIn(each) ?? {};
    const check = readExtensions[type];
    if (check === undefined) return true;
    const isFirst = !seen.has(type);
    seen.add(type);
    return isFirst && check(value);
  });
}
