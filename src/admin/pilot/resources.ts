import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { resourceStatuses } from "../../pilot/xds/status/resource-status.ts";
import { missingNames, syncStatusOf } from "../../pilot/xds/status/sync-status.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import type { Watched } from "../../xds/stream/watch.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";
import { publicJson } from "../resource/resource-json.ts";
import type { Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { proxyPage } from "./find-proxy.ts";
import { resourceOrigins } from "./resource-origins.ts";

type ResourcesState = Pick<PilotState, "connections" | "originOf" | "patchesFor">;

export function resourcesPage(state: ResourcesState): Route {
  return proxyPage(
    { path: "/debug/resources", doc: "resources sent to one proxy, with their ACK or NACK and their objects" },
    state,
    (connection) => dumpOf(connection, state),
  );
}

function dumpOf({ id, client, mode, watched }: Connection<Proxy>, { originOf, patchesFor }: ResourcesState) {
  const origins = resourceOrigins(patchesFor(client), originOf);
  return {
    node: client.nodeId,
    connection: id,
    mode,
    types: watched.map((each) => ({
      type_url: each.subscription.type.typeUrl,
      state: syncStatusOf(each.subscription),
      ...(each.subscription.error !== undefined && { error: each.subscription.error }),
      ...missingIn(each),
      ...origins.removedOf(each.subscription.type.shortName),
      resources: resourcesOf(each, origins),
    })),
  };
}

/** Secrets that the proxy requests and that do not exist. */
function missingIn({ subscription }: Watched): { readonly missing?: readonly string[] } {
  const missing = missingNames(subscription);
  return missing.length === 0 ? {} : { missing };
}

function resourcesOf(watched: Watched, origins: ReturnType<typeof resourceOrigins>) {
  const { shortName } = watched.subscription.type;
  const statuses = new Map(resourceStatuses(watched).map(({ name, status }) => [name, status]));
  return sentResources(watched.subscription).map((resource) => ({
    ...origins.of(shortName, resource),
    version: resource.version,
    state: statuses.get(resource.name) ?? "STALE",
    resource: publicJson(resource.entry),
  }));
}

/** The resources of a type that a client was sent and is subscribed to. */
export function sentResources(subscription: Subscription): readonly Resource[] {
  return subscription.sent.flatMap((set) => [...set]).filter(({ name }) => subscription.wants(name));
}
