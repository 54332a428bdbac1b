import type { ConfigId } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";
import { hashText } from "../../lib/hash.ts";
import { entryAround } from "../../xds/wire/entry.ts";
import type { Resource } from "../model/resource.ts";

interface ResourceFacts {
  readonly name: string;
  readonly owners: readonly ConfigId[];
  readonly partOwners?: Readonly<Record<string, ConfigId>> | undefined;
  readonly hostOwners?: ReadonlyMap<string, readonly ConfigId[]> | undefined;
  readonly warmedBy?: string;
}

/** A `google.protobuf.Any` that holds the resource, or this Any as a field with the tag {@link entryTag}. */
type ResourceBytes = { readonly any: Uint8Array } | { readonly entry: Uint8Array };

/** The tag of `resources` in a DiscoveryResponse. */
export const entryTag = 0x12;

/** Encodes a resource, once for all proxies. Its version is a hash of its bytes. */
export function makeResource(inputs: ResourceFacts & ResourceBytes): Resource {
  const { name, owners, partOwners = {}, hostOwners, warmedBy } = inputs;
  const entry = "entry" in inputs ? inputs.entry : entryAround(inputs.any);
  return {
    name,
    version: hashText(entry),
    entry,
    owners: distinctSorted(owners),
    ...(Object.keys(partOwners).length > 0 && { partOwners }),
    ...(hostOwners !== undefined && { hostOwners }),
    ...(warmedBy !== undefined && { warmedBy }),
  };
}

/** Sorted, each once. A list that is so already is returned itself: it may have an entry per host of a large mesh. */
export function distinctSorted(ids: readonly ConfigId[]): readonly ConfigId[] {
  for (let index = 1; index < ids.length; index++)
    if ((ids[index - 1] ?? "") >= (ids[index] ?? "")) return [...new Set(ids)].toSorted(compareTexts);
  return ids;
}
