import type { Viewer } from "../../../admin/viewer.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { isSidecar, type Proxy } from "../../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../../pilot/model/push-context.ts";
import type { SidecarScope } from "../../../pilot/model/scope/sidecar-scope.ts";
import { scopeRefOf, sidecarScopeFor } from "../../../pilot/model/scope/sidecar-scope-for.ts";
import type { Service } from "../../../pilot/model/service/service.ts";
import { visibleServices } from "../../../pilot/model/service/visible-services.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found } from "../endpoint.ts";
import type { ScopedService, ScopeListing } from "../model/proxies.ts";
import { visibleLinks } from "../object-links.ts";
import { filterBy, paginate } from "../paginate.ts";
import { findNode, notConnected } from "../proxy-facts.ts";

/** A service in the scope of a proxy, and the reason. */
interface Seen {
  readonly service: Service;
  readonly why: string;
}

/** The services that a proxy sees, each with the reason. */
export function listServices(state: DeskState, { viewer, values: [node = ""], query }: ApiRequest): ApiAnswer {
  const connection = findNode(state, viewer, node);
  if (connection === undefined) return notConnected(node);
  const search = (query.get("search") ?? "").toLowerCase();
  const seen = seenBy(connection.client, state.published()).filter(({ service }) =>
    `${service.hostname} ${service.namespace}`.toLowerCase().includes(search),
  );
  const { matching, facets } = filterBy(seen, query, {
    namespace: ({ service }) => service.namespace,
    why: ({ why }) => why,
  });
  const page = paginate(matching, query, { keyOf: ({ service }) => keyOf(service), compare: compareTexts });
  const listing: ScopeListing = { ...page, items: page.items.map((each) => summaryOf(each, viewer, state)), facets };
  return found(listing);
}

/** Sorted by hostname. */
function seenBy(client: Proxy, push: PushContext): readonly Seen[] {
  const seen = isSidecar(client) ? inScope(client, push) : exported(client, push);
  return seen.toSorted((a, b) => compareTexts(keyOf(a.service), keyOf(b.service)));
}

function keyOf({ hostname, namespace }: Service): string {
  return `${hostname} ${namespace}`;
}

function exported({ namespace }: Proxy, push: PushContext): readonly Seen[] {
  return visibleServices(namespace, push).map((service) => ({ service, why: exportOf(service) }));
}

function inScope(client: Proxy, push: PushContext): readonly Seen[] {
  const ref = scopeRefOf(client, push);
  const scope = sidecarScopeFor(ref, push);
  const listeners = scope.egress.map(({ services }) => new Set(services.map(({ hostname }) => hostname)));
  return scope.services.map((service) => {
    if (ref.sidecar === "") return { service, why: exportOf(service) };
    const index = listeners.findIndex((hostnames) => hostnames.has(service.hostname));
    return { service, why: index === -1 ? routedTo : importedBy(index, scope) };
  });
}

/** No listener imports it: it has clusters, and no listener. */
const routedTo = "a VirtualService in scope routes to it";

function importedBy(index: number, { egress }: SidecarScope): string {
  const port = egress[index]?.port?.number;
  return `imported by egress[${index}] of the Sidecar${port === undefined ? "" : `, on port ${port}`}`;
}

function exportOf({ exportTo }: Service): string {
  if (exportTo.includes("*") || exportTo.length === 0) return "exported to every namespace";
  return exportTo.includes(".") ? "exported to its own namespace" : "exported to this namespace by name";
}

function summaryOf({ service, why }: Seen, viewer: Viewer, state: DeskState): ScopedService {
  const { hostname, namespace, ports, owner } = service;
  const [object] = visibleLinks([owner], viewer, state);
  return { hostname, namespace, ports: ports.map(({ number }) => number), why, ...(object && { object }) };
}
