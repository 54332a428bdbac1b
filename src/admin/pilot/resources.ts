import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { resourceStatuses } from "../../pilot/xds/status/resource-status.ts";
import { configOwners } from "../../pilot/xds/status/suspects.ts";
import { missingNames, syncStatusOf } from "../../pilot/xds/status/sync-status.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import type { Watched } from "../../xds/stream/watch.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";
import { publicJson } from "../resource/resource-json.ts";
import type { Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { proxyPage } from "./find-proxy.ts";
import { placedPatches } from "./placed-patches.ts";

type ResourcesState = Pick<PilotState, "connections" | "originOf" | "patchesFor">;

export function resourcesPage(state: ResourcesState): Route {
  return proxyPage(
    { path: "/debug/resources", doc: "resources sent to one proxy, with their ACK or NACK and their objects" },
    state,
    (connection) => dumpOf(connection, state),
  );
}

function dumpOf({ id, client, mode, watched }: Connection<Proxy>, state: ResourcesState) {
  return {
    node: client.nodeId,
    connection: id,
    mode,
    types: watched.map((each) => ({
      type_url: each.subscription.type.typeUrl,
      state: syncStatusOf(each.subscription),
      ...(each.subscription.error !== undefined && { error: each.subscription.error }),
      ...missingIn(each),
      resources: resourcesOf(each, client, state),
    })),
  };
}

/** Secrets that the proxy requests and that do not exist. */
function missingIn({ subscription }: Watched): { readonly missing?: readonly string[] } {
  const missing = missingNames(subscription);
  return missing.length === 0 ? {} : { missing };
}

function resourcesOf(watched: Watched, client: Proxy, { originOf, patchesFor }: ResourcesState) {
  const { shortName } = watched.subscription.type;
  const patches = placedPatches(patchesFor(client), originOf);
  const statuses = new Map(resourceStatuses(watched).map(({ name, status }) => [name, status]));
  return sentResources(watched.subscription).map((resource) => ({
    name: resource.name,
    version: resource.version,
    state: statuses.get(resource.name) ?? "STALE",
    owners: configOwners(resource).map((id) => ({ id, reference: originOf(id)?.reference ?? "" })),
    ...patches(shortName, resource.name),
    resource: publicJson(resource.entry),
  }));
}

/** The resources of a type that a client was sent and is subscribed to. */
export function sentResources(subscription: Subscription): readonly Resource[] {
  return subscription.sent.flatMap((set) => [...set]).filter(({ name }) => subscription.wants(name));
}
