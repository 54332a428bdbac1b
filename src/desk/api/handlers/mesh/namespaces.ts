import type { Viewer } from "../../../../admin/viewer.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import { proxiesOf } from "../../../../admin/pilot/find-proxy.ts";
import { serviceKey } from "../../../../pilot/model/service/service.ts";
import type { DeskState } from "../../desk-state.ts";
import { maySee } from "../../endpoint.ts";
import type { NamespaceSummary } from "../../model/mesh.ts";
import { healthOf } from "./service-health.ts";

/** Namespaces between which calls are decided. */
const callingNamespaces = 40;

/** Every namespace with services, proxies or Sidecars that the viewer may see; those with the most services first. */
export function namespacesOf(state: DeskState, viewer: Viewer): readonly NamespaceSummary[] {
  const push = state.published();
  const byName = new Map<string, { services: number; endpoints: number; unhealthy: number; proxies: number }>();
  const entryOf = (name: string) => {
    const entry = byName.get(name) ?? { services: 0, endpoints: 0, unhealthy: 0, proxies: 0 };
    byName.set(name, entry);
    return entry;
  };
  for (const service of push.services.values()) {
    const { endpoints, unhealthy } = healthOf(push.endpoints.get(serviceKey(service)));
    const entry = entryOf(service.namespace);
    entry.services++;
    entry.endpoints += endpoints;
    entry.unhealthy += unhealthy;
  }
  for (const { client } of proxiesOf(state)) entryOf(client.namespace).proxies++;
  for (const { namespace } of push.sidecars.values()) entryOf(namespace);
  return Array.from(byName, ([name, counts]) => ({ name, ...counts }))
    .filter(({ name }) => maySee(viewer, name))
    .toSorted((a, b) => b.services - a.services || compareTexts(a.name, b.name));
}

/** The namespaces that count as callers. A bound: each is decided for every service. */
export function callersAmong(namespaces: readonly NamespaceSummary[]): readonly string[] {
  return namespaces
    .slice(0, callingNamespaces)
    .map(({ name }) => name)
    .toSorted(compareTexts);
}
