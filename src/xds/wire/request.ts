import { scanFields } from "./wire.ts";

/**
 * What a client's message says, read straight from its bytes. Envoys repeat much: 61 kB of node in every message
 * unless told otherwise, and all names in every SotW acknowledgement. So fields are skipped by their length, and
 * nodes and SotW names stay undecoded until somebody needs them.
 */
interface DiscoveryRequest {
  readonly typeUrl: string;
  readonly nonce: string;
  /** The client's reason when it rejects a response; absent for everything else. */
  readonly error: string | undefined;
  /** The bytes of the node, if the message carries one. Valid only while the message is. */
  readonly node: Uint8Array | undefined;
}

export interface SotwRequest extends DiscoveryRequest {
  /** The undecoded name fields: equal bytes mean equal names. Valid only while the message is. */
  readonly nameSection: Uint8Array;
}

export interface DeltaRequest extends DiscoveryRequest {
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** Name → version that the client still holds from an earlier stream. */
  readonly held: ReadonlyMap<string, string>;
}

const nameField = 3;

/** Throws a `BadMessage` on bytes that are no protobuf message. */
export function readSotwRequest(message: Uint8Array): SotwRequest {
  const bytes = asBuffer(message);
  const request = { typeUrl: "", nonce: "", error: undefined, node: undefined, nameSection: bytes.subarray(0, 0) };
  const found: { -readonly [Key in keyof SotwRequest]: SotwRequest[Key] } = request;
  let first = -1;
  let last = -1;
  const strays: Uint8Array[] = [];
  scanFields(bytes, (field, start, end, tagStart) => {
    if (field === 2) found.node = bytes.subarray(start, end);
    else if (field === 4) found.typeUrl = bytes.toString("utf8", start, end);
    else if (field === 5) found.nonce = bytes.toString("utf8", start, end);
    else if (field === 6) found.error = errorMessage(bytes.subarray(start, end));
    else if (field === nameField) {
      // Writers put a repeated field in one run; a name that stands apart is legal all the same.
      if (first !== -1 && tagStart !== last) strays.push(bytes.subarray(first, last));
      if (tagStart !== last) first = tagStart;
      last = end;
    }
  });
  if (first !== -1) found.nameSection = bytes.subarray(first, last);
  if (strays.length > 0) found.nameSection = Buffer.concat([...strays, found.nameSection]);
  return found;
}

/** The names in a SotW request's name section. */
export function readNames(section: Uint8Array): readonly string[] {
  const bytes = asBuffer(section);
  const names: string[] = [];
  scanFields(bytes, (field, start, end) => {
    if (field === nameField) names.push(bytes.toString("utf8", start, end));
  });
  return names;
}

/** Throws a `BadMessage` on bytes that are no protobuf message. */
export function readDeltaRequest(message: Uint8Array): DeltaRequest {
  const bytes = asBuffer(message);
  const subscribe: string[] = [];
  const unsubscribe: string[] = [];
  const held = new Map<string, string>();
  const request = { typeUrl: "", nonce: "", error: undefined, node: undefined, subscribe, unsubscribe, held };
  const found: { -readonly [Key in keyof DeltaRequest]: DeltaRequest[Key] } = request;
  scanFields(bytes, (field, start, end) => {
    if (field === 1) found.node = bytes.subarray(start, end);
    else if (field === 2) found.typeUrl = bytes.toString("utf8", start, end);
    else if (field === 3) subscribe.push(bytes.toString("utf8", start, end));
    else if (field === 4) unsubscribe.push(bytes.toString("utf8", start, end));
    else if (field === 5) held.set(...mapEntry(bytes.subarray(start, end)));
    else if (field === 6) found.nonce = bytes.toString("utf8", start, end);
    else if (field === 7) found.error = errorMessage(bytes.subarray(start, end));
  });
  return found;
}

function mapEntry(bytes: Buffer): [key: string, value: string] {
  let key = "";
  let value = "";
  scanFields(bytes, (field, start, end) => {
    if (field === 1) key = bytes.toString("utf8", start, end);
    else if (field === 2) value = bytes.toString("utf8", start, end);
  });
  return [key, value];
}

/** `message` of a google.rpc.Status. */
function errorMessage(bytes: Buffer): string {
  let message = "";
  scanFields(bytes, (field, start, end) => {
    if (field === 2) message = bytes.toString("utf8", start, end);
  });
  return message;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
