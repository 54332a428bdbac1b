import { coveringPatterns } from "../../../config/grammar/hostname.ts";
import { oncePer } from "../../../lib/memo.ts";
import type { VirtualService } from "../../model/traffic/virtual-service.ts";
import type { RouteContext, SelectedRoute } from "../route/select-routes.ts";
import { selectRoutes } from "../route/select-routes.ts";

/** The virtual service that applies to a host, and its routes there. */
export interface Routing {
  readonly virtualService: VirtualService;
  readonly selected: readonly SelectedRoute[];
}

/**
 * As for sidecars, one virtual service decides about a host, without merging. Those with the most specific host come
 * first. Of these, the first with routes that apply here wins.
 */
export function routingFor(
  hostname: string,
  virtualServices: readonly VirtualService[],
  context: RouteContext,
): Routing | undefined {
  const byHost = indexByHost(virtualServices);
  const closest = coveringPatterns(hostname.toLowerCase()).find((pattern) => byHost.has(pattern)) ?? "";
  for (const virtualService of byHost.get(closest) ?? []) {
    const selected = selectRoutes(virtualService, context);
    if (selected.length > 0) return { virtualService, selected };
  }
  return undefined;
}

const indexByHost = oncePer((virtualServices: readonly VirtualService[]) => {
  const index = new Map<string, VirtualService[]>();
  for (const virtualService of virtualServices) {
    for (const host of virtualService.hosts) {
      const name = host.toLowerCase();
      const present = index.get(name);
      if (present === undefined) index.set(name, [virtualService]);
      else present.push(virtualService);
    }
  }
  return index;
});
