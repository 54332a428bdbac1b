import type { ConfigId } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";
import { hashText } from "../../lib/hash.ts";
import { entryAround } from "../../xds/wire/entry.ts";
import type { Resource } from "../model/resource.ts";

interface ResourceInputs {
  readonly name: string;
  /** A `google.protobuf.Any` that holds the resource. */
  readonly any: Uint8Array;
  readonly owners: Iterable<ConfigId>;
  readonly partOwners?: Readonly<Record<string, ConfigId>> | undefined;
  readonly hostOwners?: ReadonlyMap<string, readonly ConfigId[]> | undefined;
  readonly warmedBy?: string;
}

/** Encodes a resource, once for all proxies. Its version is a hash of its bytes. */
export function makeResource({ name, any, owners, partOwners = {}, hostOwners, warmedBy }: ResourceInputs): Resource {
  const entry = entryAround(any);
  return {
    name,
    version: hashText(entry),
    entry,
    owners: [...new Set(owners)].toSorted(compareTexts),
    ...(Object.keys(partOwners).length > 0 && { partOwners }),
    ...(hostOwners !== undefined && { hostOwners }),
    ...(warmedBy !== undefined && { warmedBy }),
  };
}
