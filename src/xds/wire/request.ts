import { cutText } from "../../lib/cut-text.ts";
import { hash64 } from "../../lib/hash.ts";
import { RunSum } from "../../lib/run-sum.ts";
import type { Mode } from "../mode.ts";
import type { UnreadNames } from "../resources/name-set.ts";
import { xdsLimits } from "../xds-limits.ts";
import { HeldVersions } from "./held-versions.ts";
import { type NameRun, RepeatedNames } from "./repeated-names.ts";
import { Section } from "./section.ts";
import { scanFields } from "./wire-format.ts";

/**
 * A client's message, read directly from its bytes. Envoy repeats much: by default 61 kB of node in every message, and
 * all names in every SotW acknowledgement. So fields are skipped by their length. Nodes, names and versions stay
 * undecoded until their first use.
 */
interface DiscoveryRequest {
  readonly typeUrl: string;
  readonly nonce: string;
  /** The client's reason for a NACK, cut to the kept length. Absent in all other requests. */
  readonly error: string | undefined;
  /** The bytes of the node, if the message has one. Valid only as long as the message. */
  readonly node: Uint8Array | undefined;
}

/** A request of the state-of-the-world protocol. */
export interface SotwRequest extends DiscoveryRequest {
  /** The last version that the client accepted, on any stream. */
  readonly version: string;
  readonly names: NameSection;
}

/** A request of the incremental protocol. */
export interface DeltaRequest extends DiscoveryRequest {
  readonly subscribe: NameSection;
  readonly unsubscribe: readonly string[];
  /** The versions that the client holds from an earlier stream. */
  readonly held: HeldVersions;
}

const nameField = 3;

/** The undecoded names of a request. Valid only as long as the message. */
class NameSection implements UnreadNames {
  readonly #bytes: Buffer;
  readonly size: number;
  #hash: bigint | undefined;

  constructor(bytes: Uint8Array, size: number, hash?: bigint) {
    this.#bytes = asBuffer(bytes);
    this.size = size;
    this.#hash = hash;
  }

  /** The length of the raw bytes. */
  get length(): number {
    return this.#bytes.length;
  }

  /** Hash of the raw bytes. Equal hashes imply equal names in equal order. */
  get hash(): bigint {
    this.#hash ??= hash64(this.#bytes);
    return this.#hash;
  }

  get digest(): bigint {
    const sum = new RunSum(this.#bytes);
    scanFields(this.#bytes, (_field, start, end) => sum.add(start, end));
    return sum.digest;
  }

  texts(): readonly string[] {
    const names: string[] = [];
    scanFields(this.#bytes, (_field, start, end) => names.push(this.#bytes.toString("utf8", start, end)));
    return names;
  }
}

/** Throws a `BadMessage` on bytes that are no protobuf message. `repeated` are the names of earlier requests. */
export function readSotwRequest(message: Uint8Array, repeated = new RepeatedNames()): SotwRequest {
  const bytes = asBuffer(message);
  const names = new Section(bytes);
  let known: NameRun | undefined;
  const found = {
    version: "",
    typeUrl: "",
    nonce: "",
    error: undefined as string | undefined,
    node: undefined as Buffer | undefined,
  };
  const visit = (field: number, start: number, end: number, tagStart: number) => {
    if (field === 1) found.version = bytes.toString("utf8", start, end);
    else if (field === 2) found.node = bytes.subarray(start, end);
    else if (field === nameField) names.add(tagStart, end);
    else if (field === 4) found.typeUrl = bytes.toString("utf8", start, end);
    else if (field === 5) found.nonce = bytes.toString("utf8", start, end);
    else if (field === 6) found.error = errorMessage(bytes.subarray(start, end));
  };
  scanFields(bytes, visit, (field, tagStart) => {
    if (field !== nameField || names.size > 0) return undefined;
    known = repeated.find(bytes, tagStart);
    if (known !== undefined) names.add(tagStart, tagStart + known.length, known.size);
    return known && tagStart + known.length;
  });
  // More names than the known ones are another list.
  const isKnown = known !== undefined && known.size === names.size;
  const section = new NameSection(names.bytes, names.size, isKnown ? known?.hash : undefined);
  if (!isKnown) repeated.remember(section);
  return { ...found, names: section };
}

/** Throws a `BadMessage` on bytes that are no protobuf message. */
export function readDeltaRequest(message: Uint8Array): DeltaRequest {
  const bytes = asBuffer(message);
  const subscribe = new Section(bytes);
  const unsubscribe: string[] = [];
  const held = new Section(bytes);
  const found = {
    typeUrl: "",
    nonce: "",
    error: undefined as string | undefined,
    node: undefined as Buffer | undefined,
  };
  scanFields(bytes, (field, start, end, tagStart) => {
    if (field === 1) found.node = bytes.subarray(start, end);
    else if (field === 2) found.typeUrl = bytes.toString("utf8", start, end);
    else if (field === nameField) subscribe.add(tagStart, end);
    else if (field === 4) unsubscribe.push(bytes.toString("utf8", start, end));
    else if (field === 5) held.add(tagStart, end);
    else if (field === 6) found.nonce = bytes.toString("utf8", start, end);
    else if (field === 7) found.error = errorMessage(bytes.subarray(start, end));
  });
  return {
    ...found,
    subscribe: new NameSection(subscribe.bytes, subscribe.size),
    unsubscribe,
    held: new HeldVersions(held.bytes, held.size),
  };
}

/** The node of a request. The fields after it are not visited: a client that comes back sends thousands. */
export function readNodeOf(message: Uint8Array, mode: Mode): Uint8Array | undefined {
  const bytes = asBuffer(message);
  const nodeField = mode === "sotw" ? 2 : 1;
  let node: Uint8Array | undefined;
  scanFields(
    bytes,
    (field, start, end) => {
      if (field === nodeField) node = bytes.subarray(start, end);
    },
    () => (node === undefined ? undefined : bytes.length),
  );
  return node;
}

/** `message` of a google.rpc.Status. */
function errorMessage(bytes: Buffer): string {
  let message = "";
  scanFields(bytes, (field, start, end) => {
    if (field === 2) message = bytes.toString("utf8", start, end);
  });
  return cutText(message, xdsLimits.errorText.most);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
