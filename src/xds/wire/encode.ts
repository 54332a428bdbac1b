import { oncePer } from "../../lib/memo.ts";
import type { Chunk } from "../resources/chunk.ts";
import type { Resource } from "../resources/resource.ts";
import type { Target } from "../resources/target.ts";
import type { Mode } from "../mode.ts";
import type { Answer } from "../subscription/answer.ts";
import type { Dialect } from "./dialect.ts";
import { textLength, varintLength, WireWriter } from "./wire-format.ts";

/** One gRPC message: a few own bytes, then buffers that all streams share. */
export interface EncodedResponse {
  readonly prefix: Uint8Array;
  readonly segments: readonly Uint8Array[];
  readonly bytes: number;
  readonly resources: number;
  readonly version: string;
}

/** The encoding of resources: one by one, or a whole chunk at once. */
interface Form {
  readonly entry: (resource: Resource) => readonly Uint8Array[];
  readonly bulk: (chunk: Chunk) => Uint8Array;
  /** The segments of an answer with many resources: found once for the clients that share the answer. */
  readonly segments: (answer: Answer) => readonly Uint8Array[];
}

/**
 * The entry of a delta response: `Resource{version 1, resource 2, name 3}` around the bytes of the SotW entry. Built at
 * the first use, then shared.
 */
const deltaEntry = oncePer(({ entry, name, version }: Resource): readonly [head: Uint8Array, any: Uint8Array] => {
  // The SotW entry is tag 2, length, Any. Inside Resource the Any also has field number 2, so the entry is reused.
  const length = textLength(version) + textLength(name) + entry.length;
  const head = new WireWriter(1 + varintLength(length) + length - entry.length);
  head.header(2, length).text(1, version).text(3, name);
  return [head.bytes, entry];
});

const deltaBulk = oncePer(
  (chunk: Chunk): Uint8Array => Buffer.concat(chunk.resources.flatMap((resource) => deltaEntry(resource))),
);

/** The bytes of a resource in a response. */
export function entryLength(mode: Mode, resource: Resource): number {
  if (mode === "sotw") return resource.entry.length;
  return deltaEntry(resource).reduce((sum, { length }) => sum + length, 0);
}

const sotwForm: Form = {
  entry: ({ entry }) => [entry],
  bulk: (chunk) => chunk.bulk,
  segments: oncePer((answer: Answer) => bulkSegments(answer, sotwForm)),
};
const deltaForm: Form = {
  entry: deltaEntry,
  bulk: deltaBulk,
  segments: oncePer((answer: Answer) => bulkSegments(answer, deltaForm)),
};

/** With fewer resources than this, the search for whole chunks costs more than it saves. */
const few = 32;

/** Digest of the versions of all parts. */
function versionOf(answer: Answer): string {
  return answer.target.map((set) => set.version).join("-");
}

/** DiscoveryResponse: version_info 1, resources 2, type_url 4, nonce 5; fields may come in any order. */
export function encodeSotw(dialect: Dialect, nonce: string, answer: Answer): EncodedResponse {
  const version = versionOf(answer);
  const { typeUrl } = dialect;
  const prefix = new WireWriter(textLength(version) + textLength(typeUrl) + textLength(nonce));
  prefix.text(1, version).text(4, typeUrl).text(5, nonce);
  const own = segmentsOf(answer, dialect, sotwForm);
  const shared = answer.whole ? allOf(answer, dialect) : [];
  const inSets = answer.whole ? answer.target.reduce((sum, set) => sum + set.size, 0) : 0;
  return finish(prefix.bytes, [...shared, ...own], inSets + answer.resources.length, version);
}

/** DeltaDiscoveryResponse: system_version_info 1, resources 2, type_url 4, nonce 5, removed_resources 6. */
export function encodeDelta(dialect: Dialect, nonce: string, answer: Answer): EncodedResponse {
  const version = versionOf(answer);
  const { typeUrl } = dialect;
  const removedLength = answer.removed.reduce((sum, name) => sum + textLength(name), 0);
  const prefix = new WireWriter(textLength(version) + textLength(typeUrl) + textLength(nonce) + removedLength);
  prefix.text(1, version).text(4, typeUrl).text(5, nonce);
  for (const name of answer.removed) prefix.text(6, name);
  const segments = segmentsOf(answer, dialect, deltaForm);
  return finish(prefix.bytes, segments, answer.resources.length, version);
}

function finish(prefix: Uint8Array, segments: readonly Uint8Array[], resources: number, version: string) {
  const bytes = segments.reduce((sum, segment) => sum + segment.length, prefix.length);
  return { prefix, segments, bytes, resources, version };
}

function allOf({ target }: Answer, { translate }: Dialect): readonly Uint8Array[] {
  if (translate === undefined) return target.flatMap((set) => set.segments());
  return target.flatMap((set) => Array.from(set, (resource) => translate(resource).entry));
}

function segmentsOf(answer: Answer, { translate }: Dialect, { entry, segments }: Form): readonly Uint8Array[] {
  const { resources } = answer;
  if (translate !== undefined) return resources.flatMap((resource) => entry(translate(resource)));
  return resources.length < few ? resources.flatMap(entry) : segments(answer);
}

/** Sends a whole chunk as one segment. A client that requests a thousand names gets a few dozen segments. */
function bulkSegments({ resources, target }: Answer, form: Form): readonly Uint8Array[] {
  return inOrder(resources, target, form.bulk) ?? outOfOrder(resources, target, form);
}

/** The segments of resources that are whole chunks, in the order of the target: those of nearly all first answers. */
function inOrder(
  resources: readonly Resource[],
  target: Target,
  bulk: Form["bulk"],
): readonly Uint8Array[] | undefined {
  const segments: Uint8Array[] = [];
  let at = 0;
  for (const set of target) {
    for (const chunk of set.chunks) {
      if (resources[at] !== chunk.resources[0]) continue;
      for (const resource of chunk.resources) if (resource !== resources[at++]) return undefined;
      segments.push(bulk(chunk));
    }
  }
  return at === resources.length ? segments : undefined;
}

function outOfOrder(resources: readonly Resource[], target: Target, { entry, bulk }: Form): readonly Uint8Array[] {
  const left = new Set(resources);
  const segments: Uint8Array[] = [];
  for (const chunk of target.flatMap((set) => set.chunks)) {
    if (!chunk.resources.every((resource) => left.has(resource))) continue;
    for (const resource of chunk.resources) left.delete(resource);
    segments.push(bulk(chunk));
  }
  return [...segments, ...[...left].flatMap(entry)];
}
