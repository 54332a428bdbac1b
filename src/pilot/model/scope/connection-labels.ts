import { meshGateway } from "../../../config/grammar/gateway-reference.ts";
import { memoize } from "../../../lib/memo.ts";
import type { PushContext } from "../push-context.ts";
import { routesConnections, type VirtualService } from "../traffic/virtual-service.ts";
import { labelledVirtualServicesFor } from "../traffic/virtual-services-for.ts";
import { importedVirtualServices } from "./egress-scope.ts";
import type { Sidecar } from "./sidecar.ts";
import type { ScopeRef } from "./sidecar-scope.ts";
import { egressListenersOf } from "./sidecar-scope-for.ts";

/** The names of client labels that TCP and TLS routes in this scope match on. */
export function connectionLabelsFor({ namespace, sidecar }: ScopeRef, push: PushContext): ReadonlySet<string> {
  const labelled = labelledVirtualServicesFor(meshGateway, namespace, push);
  return labelsIn([labelled, push.sidecars.get(sidecar)], { namespace });
}

const labelsIn = memoize(
  (
    [virtualServices, sidecar]: readonly [readonly VirtualService[], Sidecar | undefined],
    { namespace }: { readonly namespace: string },
  ): ReadonlySet<string> => {
    const routing = virtualServices.filter(routesConnections);
    const imported = egressListenersOf(sidecar).flatMap((listener) =>
      importedVirtualServices(listener, { namespace, virtualServices: routing }),
    );
    const matches = imported.flatMap(({ tcp, tls }) => [...tcp, ...tls].flatMap((route) => [...route.matches]));
    return new Set(matches.flatMap(({ sourceLabels }) => Object.keys(sourceLabels)));
  },
);
