import type { EndpointGroup } from "./endpoint-group.ts";

/**
 * The groups with priorities by rank, below what they already have: of two with the same priority the one with the
 * smaller rank goes first. Ranks are below `ranks`. Priorities are consecutive from 0, or clients reject them.
 */
export function ranked(
  groups: readonly EndpointGroup[],
  ranks: number,
  rankOf: (group: EndpointGroup) => number,
): readonly EndpointGroup[] {
  const finer = groups.map((group) => ({ ...group, priority: group.priority * ranks + rankOf(group) }));
  const used = [...new Set(finer.map(({ priority }) => priority))].toSorted((a, b) => a - b);
  const places = new Map(used.map((priority, place) => [priority, place]));
  return finer.map((group) => ({ ...group, priority: places.get(group.priority) ?? 0 }));
}
