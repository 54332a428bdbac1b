import { memoize } from "../../../lib/memo.ts";
import type { Conflict } from "../conflict.ts";
import type { PushContext } from "../push-context.ts";
import { visibleServices } from "./visible-services.ts";

const reason =
  "who calls gets one of them: its own namespace's, else Kubernetes', else what is exported to it by name, else the oldest";

/** Hostnames that several services of different namespaces claim, as seen from one namespace. */
export function serviceConflicts(namespace: string, push: PushContext): readonly Conflict[] {
  return findConflicts([push.services], { namespace });
}

const findConflicts = memoize(
  ([all]: readonly [PushContext["services"]], { namespace }: { readonly namespace: string }): readonly Conflict[] => {
    const byHostname = Map.groupBy(visibleServices(namespace, { services: all }), ({ hostname }) => hostname);
    return [...byHostname].flatMap(([hostname, services]) => {
      if (services.length < 2) return [];
      const winner = services.find((service) => service.namespace === namespace) ?? services[0];
      const losers = services.filter((service) => service !== winner).map(({ owner }) => owner);
      return [{ type: "service", about: hostname, winner: winner?.owner, losers, reason } as const];
    });
  },
);
