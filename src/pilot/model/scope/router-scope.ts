import { compareTexts } from "../../../lib/compare.ts";
import { memoize } from "../../../lib/memo.ts";
import type { PushContext } from "../push-context.ts";
import type { Service } from "../service/service.ts";
import { visibleServices } from "../service/visible-services.ts";
import type { Scope } from "./sidecar-scope.ts";

/** The scope of the routers of a namespace: every service exported to it, one per hostname. No Sidecar narrows it. */
export function routerScopeFor(namespace: string, push: PushContext): Scope {
  return buildScope([push.services], { namespace });
}

const buildScope = memoize(
  ([services]: readonly [PushContext["services"]], { namespace }: { readonly namespace: string }): Scope => {
    const byHostname = new Map<string, Service>();
    for (const service of visibleServices(namespace, { services })) {
      if (!byHostname.has(service.hostname)) byHostname.set(service.hostname, service);
    }
    return {
      namespace,
      services: [...byHostname.values()].toSorted((a, b) => compareTexts(a.hostname, b.hostname)),
      service: (hostname) => byHostname.get(hostname),
    };
  },
);
