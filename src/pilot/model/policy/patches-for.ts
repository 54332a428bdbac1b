import { configKey, type Labels } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { LinearRegex } from "../../../lib/linear-regex.ts";
import { memoize, oncePer } from "../../../lib/memo.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import { appliesTo } from "./attached-policies.ts";
import type { EnvoyFilter } from "./envoy-filter.ts";
import type { EnvoyPatch, ProxyMatch } from "./envoy-patch.ts";

/** Some patches of one filter, as an input of a part. */
export interface PatchRef {
  /** `namespace/name`. */
  readonly filter: string;
  /** Positions among the patches of the filter. */
  readonly patches: readonly number[];
}

/**
 * The patches for a proxy that `isWanted` accepts, in the order of application: by priority, then filters of the root
 * namespace, then the oldest filters.
 */
export function patchRefsFor(
  proxy: Proxy,
  push: PushContext,
  isWanted: (patch: EnvoyPatch) => boolean,
): readonly PatchRef[] {
  return filtersFor(proxy, push).flatMap((filter) => {
    const patches = filter.patches.filter((patch) => isWanted(patch) && matchesProxy(patch.proxy, proxy));
    return patches.length === 0 ? [] : [{ filter: configKey(filter), patches: patches.map(({ index }) => index) }];
  });
}

/** The patches with these references. */
export function patchesOf(refs: readonly PatchRef[], push: PushContext): readonly EnvoyPatch[] {
  return refs.flatMap(({ filter, patches }) => {
    const wanted = new Set(patches);
    return push.envoyFilters.get(filter)?.patches.filter(({ index }) => wanted.has(index)) ?? [];
  });
}

/** All filters that apply to a proxy, in order. */
export function filtersFor(
  { namespace, labels, type }: Pick<Proxy, "namespace" | "labels" | "type">,
  { envoyFiltersByNamespace, mesh: { rootNamespace } }: PushContext,
): readonly EnvoyFilter[] {
  const ofRoot = envoyFiltersByNamespace.get(rootNamespace);
  const own = namespace === rootNamespace ? undefined : envoyFiltersByNamespace.get(namespace);
  if (ofRoot === undefined && own === undefined) return [];
  return attachedFilters([ofRoot, own], { namespace, labels, router: type === "router" });
}

type Lists = readonly [ofRoot: readonly EnvoyFilter[] | undefined, own: readonly EnvoyFilter[] | undefined];

interface Attached {
  readonly namespace: string;
  readonly labels: Labels;
  readonly router: boolean;
}

/** Targets select only routers of the Gateway API. */
const attachedFilters = memoize(([ofRoot = [], own = []]: Lists, facts: Attached): readonly EnvoyFilter[] => {
  const attached = (filters: readonly EnvoyFilter[]) =>
    filters.filter((filter) => appliesTo(filter, { ...facts, services: [] })).toSorted(compareFilters);
  return [...attached(ofRoot), ...attached(own)].toSorted((a, b) => a.priority - b.priority);
});

function compareFilters(a: EnvoyFilter, b: EnvoyFilter): number {
  return a.createdAt - b.createdAt || compareTexts(`${a.name}.${a.namespace}`, `${b.name}.${b.namespace}`);
}

/** A proxy that does not tell its version matches no version. Neither does an expression that cannot be read. */
export function matchesProxy(match: ProxyMatch | undefined, { metadata }: Proxy): boolean {
  if (match === undefined) return true;
  const version = metadata["ISTIO_VERSION"];
  if (match.version !== "" && (typeof version !== "string" || !hasVersion(match, version))) return false;
  return Object.entries(match.metadata).every(([key, value]) => metadata[key] === value);
}

/** Versions are short. A longer text does not come from a real proxy. */
const maxVersionLength = 256;

function hasVersion(match: ProxyMatch, version: string): boolean {
  if (version === "" || version.length > maxVersionLength) return false;
  return expressionOf(match).regex?.test(version) ?? false;
}

const expressionOf = oncePer(({ version }: ProxyMatch) => ({ regex: LinearRegex.read(version) }));
