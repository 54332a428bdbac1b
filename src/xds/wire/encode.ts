import type { Resource } from "../resources/resource.ts";
import type { Answer } from "../subscription/answer.ts";
import { textLength, varintLength, WireWriter } from "./wire.ts";

/** One gRPC message: a few bytes of its own, then buffers that all streams share. */
export interface EncodedResponse {
  readonly prefix: Uint8Array;
  readonly segments: readonly Uint8Array[];
  readonly bytes: number;
  readonly resources: number;
  readonly version: string;
}

/** Digest of the versions of all parts. */
function versionOf(answer: Answer): string {
  return answer.target.map((set) => set.version).join("-");
}

/** DiscoveryResponse: version_info 1, resources 2, type_url 4, nonce 5; fields may come in any order. */
export function encodeSotw(typeUrl: string, nonce: string, answer: Answer): EncodedResponse {
  const version = versionOf(answer);
  const prefix = new WireWriter(textLength(version) + textLength(typeUrl) + textLength(nonce));
  prefix.text(1, version).text(4, typeUrl).text(5, nonce);
  const shared = answer.whole ? answer.target.flatMap((set) => set.segments()) : [];
  const segments = [...shared, ...answer.resources.map((resource) => resource.entry)];
  const inSets = answer.whole ? answer.target.reduce((sum, set) => sum + set.size, 0) : 0;
  return finish(prefix.bytes, segments, inSets + answer.resources.length, version);
}

/** DeltaDiscoveryResponse: system_version_info 1, resources 2, type_url 4, nonce 5, removed_resources 6. */
export function encodeDelta(typeUrl: string, nonce: string, answer: Answer): EncodedResponse {
  const version = versionOf(answer);
  const removedLength = answer.removed.reduce((sum, name) => sum + textLength(name), 0);
  const prefix = new WireWriter(textLength(version) + textLength(typeUrl) + textLength(nonce) + removedLength);
  prefix.text(1, version).text(4, typeUrl).text(5, nonce);
  for (const name of answer.removed) prefix.text(6, name);
  const segments = answer.resources.flatMap((resource) => deltaEntry(resource));
  return finish(prefix.bytes, segments, answer.resources.length, version);
}

function finish(prefix: Uint8Array, segments: readonly Uint8Array[], resources: number, version: string) {
  const bytes = segments.reduce((sum, segment) => sum + segment.length, prefix.length);
  return { prefix, segments, bytes, resources, version };
}

const deltaEntries = new WeakMap<Resource, readonly [head: Uint8Array, any: Uint8Array]>();

/**
 * The entry of a delta response: `Resource{version 1, resource 2, name 3}` around the very bytes of the SotW entry.
 * Made when first needed, then shared.
 */
function deltaEntry(resource: Resource): readonly [Uint8Array, Uint8Array] {
  const known = deltaEntries.get(resource);
  if (known !== undefined) return known;
  // The SotW entry is tag 2, length, Any; inside Resource the Any has field number 2 too, so all of it is reused.
  const { entry, name, version } = resource;
  const length = textLength(version) + textLength(name) + entry.length;
  const head = new WireWriter(1 + varintLength(length) + length - entry.length);
  head.header(2, length).text(1, version).text(3, name);
  const made = [head.bytes, entry] as const;
  deltaEntries.set(resource, made);
  return made;
}
