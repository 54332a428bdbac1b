import {
  type Route,
  RouteSchema,
  type VirtualHost,
  VirtualHostSchema,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import type { EnvoyPatch } from "../../model/policy/envoy-patch.ts";
import type { HostFacts } from "./encoded-routes.ts";
import { matchesRoutes, matchesVirtualHost, type RouteIdentity, routeMatch } from "./match/match-route.ts";
import { patchList } from "./patch-list.ts";
import { copyOf, isMerge, mergeValue, type PatchRun } from "./patch-run.ts";

/** Changes the route configuration, then its virtual hosts, then their routes. */
export function patchRoutes(routes: RouteConfiguration, identity: RouteIdentity, run: PatchRun): void {
  const isHere = (patch: EnvoyPatch) => matchesRoutes(patch, identity);
  for (const patch of run.for("ROUTE_CONFIGURATION").filter((each) => isMerge(each) && isHere(each))) {
    run.step(patch, routes, () => {
      mergeValue(patch, routes);
      return true;
    });
  }
  const ofHosts = run.for("VIRTUAL_HOST").filter(isHere);
  const ofRoutes = run.for("HTTP_ROUTE").filter(isHere);
  routes.virtualHosts = routes.virtualHosts.flatMap((host) => {
    const patched = patchVirtualHost(host, { ofHosts, ofRoutes }, run);
    if (patched.type === "kept") return [patched.host];
    run.remove(patched.by, routes);
    return [];
  });
  for (const patch of ofHosts.filter(({ operation }) => operation === "ADD")) {
    run.step(patch, routes, () => {
      routes.virtualHosts.push(copyOf(patch, VirtualHostSchema));
      return true;
    });
  }
}

/** The virtual hosts of a route configuration that patches may change. */
export function namedHosts(patches: readonly EnvoyPatch[], identity: RouteIdentity): (host: HostFacts) => boolean {
  const here = patches.filter((patch) => matchesRoutes(patch, identity));
  const named = here.filter(
    ({ target, operation }) => target === "HTTP_ROUTE" || (target === "VIRTUAL_HOST" && operation !== "ADD"),
  );
  return (host) => named.some((patch) => matchesVirtualHost(patch, host));
}

interface HostPatches {
  readonly ofHosts: readonly EnvoyPatch[];
  readonly ofRoutes: readonly EnvoyPatch[];
}

/** The virtual host that takes its place, or the patch that removes it. */
type PatchedHost =
  | { readonly type: "kept"; readonly host: VirtualHost }
  | { readonly type: "removed"; readonly by: EnvoyPatch };

function patchVirtualHost(original: VirtualHost, patches: HostPatches, run: PatchRun): PatchedHost {
  let host = original;
  for (const patch of patches.ofHosts) {
    if (!matchesVirtualHost(patch, host)) continue;
    if (patch.operation === "REMOVE") return { type: "removed", by: patch };
    if (isMerge(patch)) {
      run.step(patch, host, () => {
        mergeValue(patch, host);
        return true;
      });
    } else if (patch.operation === "REPLACE") {
      run.step(patch, host, () => {
        host = copyOf(patch, VirtualHostSchema);
        run.trace.mark(patch, host, true);
        return true;
      });
    }
  }
  patchHostRoutes(host, patches.ofRoutes, run);
  return { type: "kept", host };
}

function patchHostRoutes(host: VirtualHost, candidates: readonly EnvoyPatch[], run: PatchRun): void {
  const patches = candidates.filter((patch) => matchesVirtualHost(patch, host));
  host.routes = host.routes.filter((route) => patchRoute(route, host, patches, run));
  for (const patch of patches) {
    run.step(patch, host, () => {
      const routes = insertedRoutes(host.routes, patch);
      if (routes === undefined) return false;
      host.routes = routes;
      return true;
    });
  }
}

/** Returns false if a patch removes the route. Without a route to look for, a patch is for every route. */
function patchRoute(route: Route, host: VirtualHost, patches: readonly EnvoyPatch[], run: PatchRun): boolean {
  for (const patch of patches) {
    if (routeMatch(patch)?.(route) === false) continue;
    if (patch.operation === "REMOVE") {
      run.remove(patch, host);
      return false;
    }
    if (!isMerge(patch)) continue;
    run.step(patch, route, () => {
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
