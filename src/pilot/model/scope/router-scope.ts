import type { ConfigId } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { Memo } from "../../../lib/memo.ts";
import { kindOf, nameOf } from "../config-id.ts";
import type { PushContext } from "../push-context.ts";
import type { Service } from "../service/service.ts";
import { visibleServices } from "../service/visible-services.ts";
import type { Scope } from "./sidecar-scope.ts";

const scopes = new Memo<Scope>();

/** What the routers of a namespace see: every service exported to it, one per hostname. No Sidecar narrows it. */
export function routerScopeFor(namespace: string, push: PushContext): Scope {
  return scopes.get([push.services], namespace, () => buildScope(namespace, visibleServices(namespace, push)));
}

function buildScope(namespace: string, visible: readonly Service[]): Scope {
  const byHostname = new Map<string, Service>();
  for (const service of visible) if (!byHostname.has(service.hostname)) byHostname.set(service.hostname, service);
  return {
    id: `router/${namespace}`,
    namespace,
    services: [...byHostname.values()].toSorted((a, b) => compareTexts(a.hostname, b.hostname)),
    service: (hostname) => byHostname.get(hostname),
    dependsOn: (changed) => dependsOn(changed, byHostname),
  };
}

/** By hostname, not by key: routes may also look at another namespace's service of the same name. */
function dependsOn(changed: ConfigId, byHostname: ReadonlyMap<string, Service>): boolean {
  const kind = kindOf(changed);
  if (kind === "Sidecar" || kind === "Instance") return false;
  if (kind !== "Service" && kind !== "Endpoints") return true;
  return byHostname.has(nameOf(changed));
}
