import { hashText } from "../../lib/hash.ts";
import type { Resource } from "../resources/resource.ts";
import { ResourceSet } from "../resources/resource-set.ts";
import type { Target } from "../resources/target.ts";
import { routeType } from "../type-urls.ts";
import { entryOf } from "../wire/entry.ts";
import { isShellVersion, plainHostName, routesOfHost } from "./host-name.ts";
import { hostsIn, messageIn, renamedHost, wholeOf } from "./route-bytes.ts";
import { layoutOf } from "./split-routes.ts";

/**
 * The route configurations of a client with their virtual hosts, whatever form the client has them in: for people, and
 * for simulations. A shell gets its hosts back, under their plain names and in their order, and the version of the whole
 * route configuration. Others stay as they are.
 */
export function mergeRoutes(routes: readonly Resource[], hosts: Target): readonly Resource[] {
  const hostsOf = new Map(hosts.map((set) => [routesOf(set), set]));
  const merge = (shell: Resource) => merged(shell, hostsOf.get(shell.name) ?? ResourceSet.empty);
  return routes.map((each) => (isShellVersion(each.version) ? merge(each) : each));
}

function routesOf(hosts: ResourceSet): string | undefined {
  for (const { name } of hosts) return routesOfHost(name);
  return undefined;
}

function merged(shell: Resource, hosts: ResourceSet): Resource {
  const message = messageIn(shell.entry);
  const inline = hostsIn(message).map(({ bytes }) => bytes);
  const split = new Map(Array.from(hosts, ({ name, entry }) => [name, plainHost(name, entry)]));
  const ordered = layoutOf(hosts).flatMap((name) => (name === undefined ? inline.shift() : split.get(name)) ?? []);
  const entry = entryOf(routeType, wholeOf(message, [...ordered, ...inline]));
  return {
    name: shell.name,
    version: hashText(entry),
    entry,
    owners: [...new Set([...shell.owners, ...Array.from(hosts).flatMap(({ owners }) => owners)])].toSorted(),
  };
}

function plainHost(name: string, entry: Uint8Array): Uint8Array {
  return renamedHost(messageIn(entry), plainHostName(name));
}
