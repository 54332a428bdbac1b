import { deepEqual } from "../../lib/equal.ts";
import { hashText } from "../../lib/hash.ts";
import { oncePer } from "../../lib/memo.ts";
import type { Resource } from "../resources/resource.ts";
import { ResourceSet } from "../resources/resource-set.ts";
import { routeType, virtualHostType } from "../type-urls.ts";
import { entryOf } from "../wire/entry.ts";
import { hostResourceName, shellVersion } from "./host-name.ts";
import { hasVhds, type HostBytes, hostsIn, messageIn, renamedHost, shellOf } from "./route-bytes.ts";

/**
 * From this number of virtual hosts on, they are resources of their own. A client keeps the form in which it first got
 * a route configuration, because Envoy cannot change it without a gap. So the number is low: a small mesh that grows
 * should be split from its beginning. Below it, a changed host costs at most about ten kilobytes, and hosts of their
 * own would save little.
 */
export const minHosts = 16;

/** Whether a client that gets this route configuration for the first time gets its virtual hosts as resources. */
export function isLarge(routes: Resource | undefined, min = minHosts): boolean {
  return routes !== undefined && splittableHosts(routes) >= min;
}

/** The number of virtual hosts. 0 if a patch has set another source of virtual hosts. */
const splittableHosts = oncePer(({ entry }: Resource) => {
  const message = messageIn(entry);
  return hasVhds(message) ? 0 : hostsIn(message).length;
});

/** A route configuration in two forms: whole, and as a shell with virtual hosts as resources. */
export interface SplitRoutes {
  readonly whole: Resource;
  /** The route configuration with the catch-all alone. */
  readonly shell: Resource;
  readonly hosts: ResourceSet;
  /** The hosts by resource name, as they are in the route configuration. */
  readonly sources: ReadonlyMap<string, HostSource>;
}

interface HostSource {
  readonly bytes: Uint8Array;
  readonly resource: Resource;
}

/** The names of all hosts of a split route configuration in their order; undefined for those that are in the shell. */
export type HostLayout = readonly (string | undefined)[];

const layouts = new WeakMap<ResourceSet, HostLayout>();

/** The order of the hosts in the whole route configuration. Patches name hosts by their position. */
export function layoutOf(hosts: ResourceSet): HostLayout {
  return layouts.get(hosts) ?? [];
}

/**
 * Splits a route configuration. Hosts with the same bytes as in `before` stay the same objects, so an edit of one host
 * encodes one host.
 */
export function splitRoutes(whole: Resource, before?: SplitRoutes): SplitRoutes {
  const message = messageIn(whole.entry);
  const all = hostsIn(message);
  const common = commonOwners(whole);
  const sources = new Map<string, HostSource>();
  const occurrences = new Map<string, number>();
  const layout: (string | undefined)[] = [];
  for (const host of all) {
    if (host.isCatchAll) {
      layout.push(undefined);
      continue;
    }
    const occurrence = (occurrences.get(host.name) ?? 0) + 1;
    occurrences.set(host.name, occurrence);
    const name = hostResourceName(whole.name, host.name, occurrence);
    layout.push(name);
    sources.set(name, hostSource(name, host, ownersOf(host, whole, common), before?.sources.get(name)));
  }
  const inline = all.filter(({ isCatchAll }) => isCatchAll);
  const resources = Array.from(sources.values(), ({ resource }) => resource);
  const hosts = (before?.hosts ?? ResourceSet.empty).apply({ covers: "all", resources });
  layouts.set(hosts, layout);
  return { whole, shell: shellResource(whole, shellOf(message, inline), common), hosts, sources };
}

function hostSource(
  name: string,
  { bytes }: HostBytes,
  owners: readonly string[],
  before: HostSource | undefined,
): HostSource {
  if (before !== undefined && Buffer.compare(before.bytes, bytes) === 0) {
    const isSame = deepEqual(before.resource.owners, owners);
    return { bytes, resource: isSame ? before.resource : { ...before.resource, owners } };
  }
  // Envoy removes a host by its own name, so that must be the name of the resource.
  const entry = entryOf(virtualHostType, renamedHost(bytes, name));
  return { bytes, resource: { name, version: hashText(entry), entry, owners } };
}

function shellResource({ name }: Resource, message: Uint8Array, owners: readonly string[]): Resource {
  const entry = entryOf(routeType, message);
  return { name, version: shellVersion(hashText(entry)), entry, owners };
}

/** Owners of no host in particular: gateways, patches of EnvoyFilters. They are behind the shell and every host. */
function commonOwners({ owners, hostOwners }: Resource): readonly string[] {
  if (hostOwners === undefined) return owners;
  const ofHosts = new Set<string>();
  for (const each of hostOwners.values()) for (const owner of each) ofHosts.add(owner);
  return owners.filter((owner) => !ofHosts.has(owner));
}

function ownersOf({ name }: HostBytes, { owners, hostOwners }: Resource, common: readonly string[]): readonly string[] {
  const own = hostOwners?.get(name);
  if (own !== undefined) return [...new Set([...own, ...common])].toSorted();
  return hostOwners === undefined ? owners : common;
}
