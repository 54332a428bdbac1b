import type { EnvoyConfig, KnownPatch, ResourceType } from "./envoy-config.ts";
import type { Decider } from "./explanation.ts";

/** A part of a resource on the way of a request. */
export interface Place {
  readonly type: ResourceType;
  readonly resource: string;
  /** Such as `filterChains[0].filters[1]`; empty for the resource itself. */
  readonly path: string;
}

/** A part inside another: `virtualHosts[0]`. */
export function within(place: Place, part: string): Place {
  return { ...place, path: place.path === "" ? part : `${place.path}.${part}` };
}

/** An item of a list inside a part. */
export function itemOf<T>(place: Place, list: string, items: readonly T[], item: T): Place {
  return within(place, `${list}[${items.indexOf(item)}]`);
}

/** The patches that made or changed a part, or made a part around it. */
export function patchersOf(config: EnvoyConfig, place: Place): readonly Decider[] {
  return patchersWith(config, place, (path, made) => path === place.path || (made && isInside(place.path, path)));
}

/**
 * The same for a part in which nothing was found. Patches count, too, that changed items in it. Those that removed an item
 * changed the part itself. Those that added one did no harm.
 */
export function patchersIn(config: EnvoyConfig, place: Place): readonly Decider[] {
  const isItem = (path: string) => isInside(path, place.path) && !restOf(path, place.path).includes(".");
  return patchersWith(config, place, (path, made) => {
    return path === place.path || (made ? isInside(place.path, path) : isItem(path));
  });
}

function patchersWith(
  config: EnvoyConfig,
  { type, resource }: Place,
  counts: (path: string, made: boolean) => boolean,
): readonly Decider[] {
  const patches = config.patchesOf?.(type, resource) ?? [];
  return patches.filter(({ parts }) => parts.some(({ path, made }) => counts(path, made))).map(deciderOf);
}

/** The patches that removed a resource of this name. */
export function removersOf(config: EnvoyConfig, type: ResourceType, isMeant: (name: string) => boolean) {
  const names = (config.removedOf?.(type) ?? []).filter(isMeant);
  return names.flatMap((name) => (config.patchesOf?.(type, name) ?? []).map(deciderOf));
}

function deciderOf({ object, part, reference }: KnownPatch): Decider {
  return { object, part, ...(reference !== "" && { reference }) };
}

/** Whether a path leads into a part. */
function isInside(path: string, part: string): boolean {
  return part === "" ? path !== "" : path.startsWith(`${part}.`);
}

function restOf(path: string, part: string): string {
  return part === "" ? path : path.slice(part.length + 1);
}
