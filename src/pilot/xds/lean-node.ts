import { BadMessage, scanFields, varintLength, WireWriter } from "../../xds/wire/wire-format.ts";

/** Fields of `envoy.config.core.v3.Node`. */
const nodeField = {
  id: 1,
  cluster: 2,
  metadata: 3,
  locality: 4,
  userAgentVersion: 7,
  buildVersion: 8,
  extensions: 9,
} as const;
const keptFields: ReadonlySet<number> = new Set([
  nodeField.id,
  nodeField.cluster,
  nodeField.locality,
  nodeField.userAgentVersion,
  nodeField.extensions,
]);

/** The field of `envoy.config.core.v3.BuildVersion` that is read. */
const versionField = 1;
/** Fields of `google.protobuf.Struct`, of its entries, of `Value` and of `ListValue`. */
const entryField = 1;
const keyField = 1;
const valueField = 2;
const structValue = 5;
const listValue = 6;

/** The only metadata that is not a string, number or boolean. */
const nested: ReadonlySet<string> = new Set(["LABELS", "PROXY_CONFIG"]);
/** Istio's ProxyConfig has some ten levels. */
const deepest = 32;

/**
 * A node reduced to the fields that we use. An agent may send megabytes of metadata, and a decoded Struct takes a
 * hundred times its bytes. The other fields are never decoded. Throws a `BadMessage` on bytes that are no node, or on
 * metadata with too deep nesting.
 */
export function leanNode(node: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  scanFields(node, (field, start, end, tagStart) => {
    if (field === nodeField.metadata) keepMetadata(node.subarray(start, end), kept);
    else if (field === nodeField.buildVersion) keepVersion(node.subarray(start, end), kept);
    else if (keptFields.has(field)) kept.push(node.subarray(tagStart, end));
  });
  return Buffer.concat(kept);
}

/** Without the metadata of the build, which may be as large as that of the node. */
function keepVersion(build: Uint8Array, kept: Uint8Array[]): void {
  scanFields(build, (field, _start, end, tagStart) => {
    if (field !== versionField) return;
    const version = build.subarray(tagStart, end);
    kept.push(new WireWriter(1 + varintLength(version.length)).header(nodeField.buildVersion, version.length).bytes);
    kept.push(version);
  });
}

function keepMetadata(struct: Uint8Array, kept: Uint8Array[]): void {
  const entries: Uint8Array[] = [];
  scanFields(struct, (field, start, end, tagStart) => {
    if (field !== entryField) return;
    const key = unusedKey(struct.subarray(start, end));
    entries.push(key === undefined ? struct.subarray(tagStart, end) : emptyEntry(key));
  });
  const length = entries.reduce((sum, entry) => sum + entry.length, 0);
  kept.push(new WireWriter(1 + varintLength(length)).header(nodeField.metadata, length).bytes);
  for (const entry of entries) kept.push(entry);
}

/** The key of an entry whose value is nested and not used. */
function unusedKey(entry: Uint8Array): Uint8Array | undefined {
  let key: Uint8Array = new Uint8Array();
  let value: Uint8Array = new Uint8Array();
  eachField(entry, (field, bytes) => {
    if (field === keyField) key = bytes;
    if (field === valueField) value = bytes;
  });
  if (!isNested(value)) return undefined;
  if (!nested.has(Buffer.from(key).toString())) return key;
  checkDepth(value, 1);
  return undefined;
}

/** Bytes of an empty object. A setting of the wrong type must still differ from an absent one. */
function emptyEntry(key: Uint8Array): Uint8Array {
  const length = 1 + varintLength(key.length) + key.length + 4;
  const head = new WireWriter(1 + varintLength(length) + 1 + varintLength(key.length));
  head.header(entryField, length).header(keyField, key.length);
  return Buffer.concat([head.bytes, key, new WireWriter(4).header(valueField, 2).header(structValue, 0).bytes]);
}

function isNested(value: Uint8Array): boolean {
  let found = false;
  eachField(value, (field) => {
    found ||= field === structValue || field === listValue;
  });
  return found;
}

function checkDepth(value: Uint8Array, depth: number): void {
  if (depth > deepest) throw new BadMessage(`the node's metadata is nested more than ${deepest} levels deep`);
  eachField(value, (field, inner) => {
    if (field === structValue) {
      eachField(inner, (_, entry) =>
        eachField(entry, (part, bytes) => part === valueField && checkDepth(bytes, depth + 1)),
      );
    } else if (field === listValue) eachField(inner, (_, listed) => checkDepth(listed, depth + 1));
  });
}

function eachField(message: Uint8Array, visit: (field: number, bytes: Uint8Array) => unknown): void {
  scanFields(message, (field, start, end) => void visit(field, message.subarray(start, end)));
}
