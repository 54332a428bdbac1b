import { compareTexts } from "../../../../lib/compare.ts";
import { oncePer } from "../../../../lib/memo.ts";
import type { PushContext } from "../../../../pilot/model/push-context.ts";
import { type Service, serviceKey } from "../../../../pilot/model/service/service.ts";
import type { DeskState } from "../../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee } from "../../endpoint.ts";
import type { ServiceListing, ServiceSummary } from "../../model/mesh.ts";
import { linkTo } from "../../object-links.ts";
import { filterBy, paginate } from "../../paginate.ts";
import { healthOf } from "./service-health.ts";

export function listServices(state: DeskState, { viewer, query }: ApiRequest): ApiAnswer {
  const search = (query.get("search") ?? "").toLowerCase();
  const push = state.published();
  const searched = sortedServices(push.services).filter(
    (service) => maySee(viewer, service.namespace) && textOf(service).includes(search),
  );
  const { matching, facets } = filterBy(searched, query, {
    namespace: ({ namespace }) => namespace,
    health: (service) => healthOf(push.endpoints.get(serviceKey(service))).health,
  });
  const page = paginate(matching, query, { keyOf, compare: compareTexts });
  const listing: ServiceListing = {
    ...page,
    items: page.items.map((service) => serviceSummary(service, push, state)),
    facets,
  };
  return found(listing);
}

export function serviceSummary(
  service: Service,
  push: PushContext,
  state: Pick<DeskState, "originOf">,
): ServiceSummary {
  const { hostname, namespace, ports, exportTo, owner } = service;
  const id = serviceKey(service);
  return {
    id,
    hostname,
    namespace,
    ports: ports.map(({ number, protocol, name }) => ({ number, protocol, name })),
    ...healthOf(push.endpoints.get(id)),
    exportTo,
    object: linkTo(owner, state),
  };
}

/** Two namespaces may have the same hostname. */
function keyOf({ hostname, namespace }: Service): string {
  return `${hostname} ${namespace}`;
}

const sortedServices = oncePer((services: PushContext["services"]): readonly Service[] =>
  [...services.values()].toSorted((a, b) => compareTexts(keyOf(a), keyOf(b))),
);

const textOf = oncePer(({ hostname, namespace, aliases, addresses, ports }: Service): string =>
  [hostname, namespace, ...aliases.map((alias) => alias.hostname), ...addresses, ...ports.map(({ number }) => number)]
    .join(" ")
    .toLowerCase(),
);
