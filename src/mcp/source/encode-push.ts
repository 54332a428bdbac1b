import { oncePer } from "../../lib/memo.ts";
import { type Difference, difference } from "../../xds/resources/difference.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import type { ResourceSet } from "../../xds/resources/resource-set.ts";
import { textLength, WireWriter } from "../../xds/wire/wire-format.ts";

/** The content of a push: the full collection, or a delta from the state that the sink holds. */
export type PushContent = { readonly type: "full" } | { readonly type: "delta"; readonly from: SinkState };

/** The state that a sink holds: an acknowledged set, or announced versions by name. */
export type SinkState =
  | { readonly type: "set"; readonly set: ResourceSet }
  | { readonly type: "versions"; readonly versions: ReadonlyMap<string, string> };

/** One message: a few bytes of its own, then buffers that all streams share. */
export interface EncodedPush {
  readonly prefix: Uint8Array;
  readonly segments: readonly Uint8Array[];
  readonly bytes: number;
  readonly resources: number;
  readonly removed: number;
}

export interface PushHead {
  readonly collection: string;
  readonly nonce: string;
}

/**
 * Fields of `Resources`: system_version_info 1, collection 2, resources 3, removed_resources 4, nonce 5, incremental 6.
 * Our own field is resumed 100. It proves to a sink that the delta builds on the versions that the sink announced.
 */
export function encodePush({ collection, nonce }: PushHead, set: ResourceSet, content: PushContent): EncodedPush {
  const incremental = content.type === "delta";
  const resumed = incremental && content.from.type === "versions";
  const flags = (incremental ? 2 : 0) + (resumed ? 3 : 0);
  const length = textLength(set.version) + textLength(collection) + textLength(nonce) + flags;
  const prefix = new WireWriter(length).text(1, set.version).text(2, collection).text(5, nonce);
  if (incremental) prefix.varint(6 * 8).varint(1);
  if (resumed) prefix.varint(100 * 8).varint(1);
  const { segments, resources, removed } = content.type === "full" ? wholeOf(set) : deltaOf(content.from, set);
  const bytes = segments.reduce((sum, segment) => sum + segment.length, prefix.bytes.length);
  return { prefix: prefix.bytes, segments, bytes, resources, removed };
}

interface Shared {
  readonly segments: readonly Uint8Array[];
  readonly resources: number;
  readonly removed: number;
}

function wholeOf(set: ResourceSet): Shared {
  return { segments: set.segments(), resources: set.size, removed: 0 };
}

/** All sinks with the same state share the delta. */
const sharedDelta = oncePer(({ changed, removed }: Difference) =>
  sharedOf(
    changed,
    removed.map(({ name }) => name),
  ),
);

function deltaOf(from: SinkState, to: ResourceSet): Shared {
  if (from.type === "versions") {
    const { changed, removed } = differenceFrom(from.versions, to);
    return sharedOf(changed, removed);
  }
  return sharedDelta(difference(from.set, to));
}

function sharedOf(changed: readonly Resource[], removed: readonly string[]): Shared {
  const names = new WireWriter(removed.reduce((sum, name) => sum + textLength(name), 0));
  for (const name of removed) names.text(4, name);
  const block = Buffer.concat([...changed.map(({ entry }) => entry), names.bytes]);
  return { segments: [block], resources: changed.length, removed: removed.length };
}

function differenceFrom(
  versions: ReadonlyMap<string, string>,
  to: ResourceSet,
): { readonly changed: readonly Resource[]; readonly removed: readonly string[] } {
  const changed = [...to].filter(({ name, version }) => versions.get(name) !== version);
  const removed = [...versions.keys()].filter((name) => to.get(name) === undefined).toSorted();
  return { changed, removed };
}
