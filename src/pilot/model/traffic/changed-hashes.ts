import type { ConfigId, Labels } from "../../../config/config.ts";
import { hostnameCovers, isWildcard } from "../../../config/grammar/hostname.ts";
import { deepEqual } from "../../../lib/equal.ts";
import { keyOf, kindNameOf } from "../config-id.ts";
import type { PushContext } from "../push-context.ts";
import type { Scope } from "../scope/sidecar-scope.ts";
import { hasHashes, hashesOf } from "./applied-hash.ts";
import type { DestinationRule } from "./destination-rule.ts";
import { ruleFor } from "./rule-for.ts";

interface ScopedPush {
  readonly push: PushContext;
  readonly scope: Scope;
}

/**
 * Hostnames in a scope whose hashes differ between two moments. The hash of a host depends on its rules and on the
 * namespace of its service. So it may change with a rule. It may also change when a service appears, disappears or
 * changes its owning namespace. Most rules have no hash; then the inputs of routes did not change.
 */
export function changedHashes(
  changed: Iterable<ConfigId>,
  before: ScopedPush,
  after: ScopedPush,
  selected: Labels,
): ReadonlySet<string> {
  const hostnames = movedHostnames(before, after);
  for (const id of changed) {
    if (kindNameOf(id) !== "DestinationRule") continue;
    const hosts = new Set([before, after].flatMap(({ push }) => push.destinationRules.get(keyOf(id))?.host ?? []));
    for (const hostname of [...hosts].flatMap((host) => hostnamesOf(host, [before, after]))) hostnames.add(hostname);
  }
  const isSame = (hostname: string) =>
    deepEqual(hashesFor(hostname, before, selected), hashesFor(hostname, after, selected));
  return new Set([...hostnames].filter((hostname) => !isSame(hostname)));
}

/** Hosts whose service appeared, disappeared or moved to another namespace. */
function movedHostnames(before: ScopedPush, after: ScopedPush): Set<string> {
  const moved = new Set<string>();
  if (before.scope.services === after.scope.services) return moved;
  if (![before, after].some(({ push }) => hasHashes(push.hostRules))) return moved;
  for (const { hostname } of [...before.scope.services, ...after.scope.services]) {
    const [was, is] = [before, after].map(({ scope }) => scope.service(hostname)?.namespace);
    if (was !== is) moved.add(hostname);
  }
  return moved;
}

/** A wildcard may match very many hosts, so they are scanned only if there is any hash. */
function hostnamesOf(host: string, moments: readonly ScopedPush[]): readonly string[] {
  if (!isWildcard(host)) return [host];
  if (!moments.some(({ push }) => hasHashes(push.hostRules))) return [];
  const all = moments.flatMap(({ scope }) => scope.services.map(({ hostname }) => hostname));
  return all.filter((hostname) => hostnameCovers(host, hostname));
}

function hashesFor(hostname: string, { push, scope }: ScopedPush, selected: Labels) {
  const service = scope.service(hostname);
  const rule: DestinationRule | undefined = service && ruleFor(service, scope.namespace, push, selected);
  const hashes = rule === undefined ? [] : hashesOf(rule);
  return hashes.length === 0 ? [] : [hashes, rule?.owners];
}
