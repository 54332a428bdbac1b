import {
  type FilterChain,
  FilterChainSchema,
  ListenerFilterSchema,
} from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { PatchContext } from "../../model/policy/envoy-patch.ts";
import { listenerFilterMatch, matchesChain, matchesListener, named } from "./match/match-listener.ts";
import { managerIn, mergeFilter, patchNetworkFilters, setManager } from "./patch-filters.ts";
import { patchList } from "./patch-list.ts";
import { patchRoutes } from "./patch-routes.ts";
import { copyOf, isMerge, mergeValue, type PatchRun } from "./patch-run.ts";
import { mergeChainSocket } from "./patch-socket.ts";

/** Changes the listener, from the outside to the inside. Returns false if a patch removes it. */
export function patchListener(listener: Listener, context: PatchContext, run: PatchRun): boolean {
  if (context === "SIDECAR_INBOUND") patchInlineRoutes(listener, run);
  for (const patch of run.for("LISTENER")) {
    if (!matchesListener(patch, listener)) continue;
    if (patch.operation === "REMOVE") {
      run.remove(patch, listener);
      return false;
    }
    if (!isMerge(patch)) continue;
    run.step(patch, listener, () => {
      mergeValue(patch, listener);
      return true;
    });
  }
  patchListenerFilters(listener, run);
  patchChains(listener, run);
  return true;
}

function patchListenerFilters(listener: Listener, run: PatchRun): void {
  for (const patch of run.for("LISTENER_FILTER")) {
    if (!matchesListener(patch, listener)) continue;
    const { operation } = patch;
    const name = listenerFilterMatch(patch);
    const value = () => copyOf(patch, ListenerFilterSchema);
    run.step(patch, listener, () => {
      const filters = patchList(listener.listenerFilters, { operation, isMatch: named(name), value });
      if (filters === undefined) return false;
      listener.listenerFilters = filters;
      return true;
    });
    if (name === undefined) continue;
    for (const filter of listener.listenerFilters) mergeFilter(patch, filter, name, run);
  }
}

/** The default chain counts as a chain. Chains without filters are left alone. */
function patchChains(listener: Listener, run: PatchRun): void {
  listener.filterChains = listener.filterChains.filter((chain) => patchChain(listener, chain, run));
  if (listener.defaultFilterChain !== undefined && !patchChain(listener, listener.defaultFilterChain, run)) {
    delete listener.defaultFilterChain;
  }
  for (const patch of run.for("FILTER_CHAIN")) {
    if (patch.operation !== "ADD" || !matchesListener(patch, listener)) continue;
    run.step(patch, listener, () => {
      listener.filterChains.push(copyOf(patch, FilterChainSchema));
      return true;
    });
  }
}

function patchChain(listener: Listener, chain: FilterChain, run: PatchRun): boolean {
  if (chain.filters.length === 0) return true;
  for (const patch of run.for("FILTER_CHAIN")) {
    if (!matchesListener(patch, listener) || !matchesChain(patch, listener, chain)) continue;
    if (patch.operation === "REMOVE") {
      run.remove(patch, listener);
      return false;
    }
    if (!isMerge(patch)) continue;
    run.step(patch, chain, () => {
      if (!mergeChainSocket(patch, chain, run)) mergeValue(patch, chain);
      return true;
    });
  }
  patchNetworkFilters(listener, chain, run);
  return true;
}

/** Inbound listeners contain their routes; all others get them by RDS. */
function patchInlineRoutes(listener: Listener, run: PatchRun): void {
  const targets = ["ROUTE_CONFIGURATION", "VIRTUAL_HOST", "HTTP_ROUTE"] as const;
  if (targets.every((target) => run.for(target).length === 0)) return;
  const fallback = listener.defaultFilterChain === undefined ? [] : [listener.defaultFilterChain];
  for (const filter of [...listener.filterChains, ...fallback].flatMap(({ filters }) => filters)) {
    const manager = managerIn(filter);
    if (manager?.routeSpecifier.case !== "routeConfig") continue;
    const routes = manager.routeSpecifier.value;
    patchRoutes(routes, { name: routes.name, context: "SIDECAR_INBOUND", servicePorts: new Map() }, run);
    setManager(filter, manager, run);
  }
}
