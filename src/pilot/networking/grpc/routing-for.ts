import { Memo } from "../../../lib/memo.ts";
import { coveringPatterns } from "../../model/hostname.ts";
import type { VirtualService } from "../../model/virtual-service.ts";
import type { RouteContext, SelectedRoute } from "../route/select-routes.ts";
import { selectRoutes } from "../route/select-routes.ts";

/** The virtual service that has a say about a host, and what it says there. */
export interface Routing {
  readonly virtualService: VirtualService;
  readonly selected: readonly SelectedRoute[];
}

type ByHost = ReadonlyMap<string, readonly VirtualService[]>;

const indexes = new Memo<ByHost>();

/**
 * One virtual service decides about a host: that with the most specific name for it, of those the first that has
 * routes which apply here at all. They are not merged.
 */
export function routingFor(
  hostname: string,
  virtualServices: readonly VirtualService[],
  context: RouteContext,
): Routing | undefined {
  const byHost = indexes.get([virtualServices], "", () => indexOf(virtualServices));
  for (const pattern of coveringPatterns(hostname)) {
    for (const virtualService of byHost.get(pattern) ?? []) {
      const selected = selectRoutes(virtualService, context);
      if (selected.length > 0) return { virtualService, selected };
    }
  }
  return undefined;
}

function indexOf(virtualServices: readonly VirtualService[]): ByHost {
  const pairs = virtualServices.flatMap((virtualService) =>
    virtualService.hosts.map((host) => [host, virtualService] as const),
  );
  const groups = Map.groupBy(pairs, ([host]) => host);
  return new Map(Array.from(groups, ([host, members]) => [host, members.map(([, virtualService]) => virtualService)]));
}
