import { resourceOrigins } from "../../../admin/pilot/resource-origins.ts";
import { currentResources } from "../../../admin/pilot/resources.ts";
import { publicJson } from "../../../admin/resource/resource-json.ts";
import type { Viewer } from "../../../admin/viewer.ts";
import { namespaceOf } from "../../../pilot/model/config-id.ts";
import type { Proxy } from "../../../pilot/model/proxy/proxy.ts";
import { type ResourceStatus, resourceStatuses } from "../../../pilot/xds/status/resource-status.ts";
import { configOwners } from "../../../pilot/xds/status/suspects.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Resource } from "../../../xds/resources/resource.ts";
import { find } from "../../../xds/resources/target.ts";
import type { Watched } from "../../../xds/stream/watch.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee, problem } from "../endpoint.ts";
import type { ProxyResource, ProxyResourceDetail, ResourceListing, ResourcePart } from "../model/proxies.ts";
import { firstLinks, linkTo } from "../object-links.ts";
import { filterBy, paginate } from "../paginate.ts";
import { findNode, notConnected } from "../proxy-facts.ts";
import { type OwnedPart, partsOf } from "../resource-parts.ts";

/** Decoding more would keep the server from other work: a route configuration may have thousands of hosts. */
const maxShownBytes = 1024 * 1024;

/** A resource that a proxy has or should have. */
interface Held {
  readonly type: string;
  readonly name: string;
  readonly status: ResourceStatus["status"];
  /** The current version; for a resource that is to be removed, the one that the proxy has. */
  readonly resource: Resource | undefined;
  readonly isRemoved: boolean;
  /** Sorts by the order of pushes, then by name. */
  readonly key: string;
}

export function listResources(state: DeskState, { viewer, values: [node = ""], query }: ApiRequest): ApiAnswer {
  const connection = findNode(state, viewer, node);
  if (connection === undefined) return notConnected(node);
  const search = (query.get("search") ?? "").toLowerCase();
  const searched = heldBy(connection).filter((each) => search === "" || textOf(each, viewer).includes(search));
  const { matching, facets } = filterBy(searched, query, {
    type: ({ type }) => type,
    status: ({ status }) => status,
  });
  const page = paginate(matching, query, { keyOf: ({ key }) => key, compare: (a, b) => (a < b ? -1 : Number(a > b)) });
  const listing: ResourceListing = {
    ...page,
    items: page.items.map((each) => summaryOf(each, viewer, state)),
    facets,
  };
  return found(listing);
}

export function oneResource(state: DeskState, { viewer, values, query }: ApiRequest): ApiAnswer {
  const [node = "", name = ""] = values;
  const connection = findNode(state, viewer, node);
  if (connection === undefined) return notConnected(node);
  const type = query.get("type") ?? "";
  const held = heldBy(connection, type).find((each) => each.name === name);
  if (held?.resource === undefined) return problem(404, `${node} has no resource ${name} of type ${type || "?"}`);
  const content = held.resource.entry.length > maxShownBytes ? undefined : publicJson(held.resource.entry);
  const origins = resourceOrigins(state.patchesFor(connection.client), state.originOf);
  const { patches, part_owners: partOwners } = origins.of(type, held.resource);
  const parts = partsOf(content, partOwners, patches).filter(({ id }) => maySee(viewer, namespaceOf(id)));
  const detail: ProxyResourceDetail = {
    ...summaryOf(held, viewer, state),
    ...(content !== undefined && { content }),
    parts: parts.map((part) => placedPart(part, state)),
  };
  return found(detail);
}

/** Of all types, or of one. */
function heldBy({ watched }: Connection<Proxy>, type?: string): readonly Held[] {
  return watched.flatMap((each, place) => {
    const isWanted = type === undefined || each.subscription.type.shortName === type;
    return isWanted ? heldOf(each, watched, String(place).padStart(3, "0")) : [];
  });
}

function heldOf(watched: Watched, all: readonly Watched[], place: string): readonly Held[] {
  const { shortName } = watched.subscription.type;
  const current = new Map(currentResources(watched, all).map((resource) => [resource.name, resource]));
  return resourceStatuses(watched).map(({ name, status, resource }) => ({
    type: shortName,
    name,
    status,
    resource: current.get(name) ?? resource ?? find(watched.subscription.acked, name),
    isRemoved: resource === undefined,
    key: `${place} ${name}`,
  }));
}

/** Objects that the viewer may not see cannot be searched for, either. */
function textOf({ name, resource }: Held, viewer: Viewer): string {
  const owners = resource === undefined ? [] : configOwners(resource);
  return [name, ...owners.filter((id) => maySee(viewer, namespaceOf(id)))].join(" ").toLowerCase();
}

function summaryOf({ type, name, status, resource, isRemoved }: Held, viewer: Viewer, state: DeskState): ProxyResource {
  return {
    type,
    name,
    status,
    version: isRemoved ? "" : (resource?.version ?? ""),
    bytes: resource?.entry.length ?? 0,
    owners: firstLinks(resource === undefined ? [] : configOwners(resource), viewer, state),
  };
}

function placedPart({ path, id, patch }: OwnedPart, state: DeskState): ResourcePart {
  const object = linkTo(id, state);
  if (patch === undefined) return { path, object };
  return {
    path,
    object: patch.reference === "" ? object : { ...object, reference: patch.reference },
    patch: patch.patch,
  };
}
