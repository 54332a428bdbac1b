import {
  type Route,
  RouteSchema,
  type VirtualHost,
  VirtualHostSchema,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import type { EnvoyPatch } from "../../model/policy/envoy-patch.ts";
import { matchesRoutes, matchesVirtualHost, type RouteIdentity, routeMatch } from "./match/match-route.ts";
import { patchList } from "./patch-list.ts";
import { copyOf, isMerge, mergeValue, type PatchRun } from "./patch-run.ts";

/** Changes the route configuration, then its virtual hosts, then their routes. */
export function patchRoutes(routes: RouteConfiguration, identity: RouteIdentity, run: PatchRun): void {
  const isHere = (patch: EnvoyPatch) => matchesRoutes(patch, identity);
  for (const patch of run.for("ROUTE_CONFIGURATION").filter((each) => isMerge(each) && isHere(each))) {
    run.step(patch, () => {
      mergeValue(patch, routes);
      return true;
    });
  }
  const ofHosts = run.for("VIRTUAL_HOST").filter(isHere);
  const ofRoutes = run.for("HTTP_ROUTE").filter(isHere);
  routes.virtualHosts = routes.virtualHosts.flatMap((host) => patchVirtualHost(host, { ofHosts, ofRoutes }, run) ?? []);
  for (const patch of ofHosts.filter(({ operation }) => operation === "ADD")) {
    run.step(patch, () => {
      routes.virtualHosts.push(copyOf(patch, VirtualHostSchema));
      return true;
    });
  }
}

interface HostPatches {
  readonly ofHosts: readonly EnvoyPatch[];
  readonly ofRoutes: readonly EnvoyPatch[];
}

/** The virtual host that takes its place; undefined if a patch removes it. */
function patchVirtualHost(original: VirtualHost, patches: HostPatches, run: PatchRun): VirtualHost | undefined {
  let host = original;
  for (const patch of patches.ofHosts) {
    if (!matchesVirtualHost(patch, host)) continue;
    if (patch.operation === "REMOVE") {
      run.applied.add(patch);
      return undefined;
    }
    if (isMerge(patch)) {
      run.step(patch, () => {
        mergeValue(patch, host);
        return true;
      });
    } else if (patch.operation === "REPLACE") {
      run.step(patch, () => {
        host = copyOf(patch, VirtualHostSchema);
        return true;
      });
    }
  }
  patchHostRoutes(host, patches.ofRoutes, run);
  return host;
}

function patchHostRoutes(host: VirtualHost, candidates: readonly EnvoyPatch[], run: PatchRun): void {
  const patches = candidates.filter((patch) => matchesVirtualHost(patch, host));
  host.routes = host.routes.filter((route) => patchRoute(route, patches, run));
  for (const patch of patches) {
    run.step(patch, () => {
      const routes = insertedRoutes(host.routes, patch);
      if (routes === undefined) return false;
      host.routes = routes;
      return true;
    });
  }
}

/** Returns false if a patch removes the route. Without a route to look for, a patch is for every route. */
function patchRoute(route: Route, patches: readonly EnvoyPatch[], run: PatchRun): boolean {
  for (const patch of patches) {
    if (routeMatch(patch)?.(route) === false) continue;
    if (patch.operation === "REMOVE") {
      run.applied.add(patch);
      return false;
    }
    if (!isMerge(patch)) continue;
    run.step(patch, () => {
      mergeValue(patch, route);
      return true;
    });
  }
  return true;
}

/** INSERT_FIRST needs a matching route anywhere, and still inserts at the top. REPLACE does not exist for routes. */
function insertedRoutes(routes: readonly Route[], patch: EnvoyPatch): Route[] | undefined {
  const { operation } = patch;
  if (operation === "REMOVE" || operation === "REPLACE") return undefined;
  const isMatch = routeMatch(patch);
  if (operation === "INSERT_FIRST" && isMatch !== undefined && !routes.some(isMatch)) return undefined;
  return patchList(routes, { operation, isMatch, value: () => copyOf(patch, RouteSchema) });
}
