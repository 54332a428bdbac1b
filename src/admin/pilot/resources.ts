import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { type ResourceStatus, resourceStatuses } from "../../pilot/xds/status/resource-status.ts";
import { missingNames, syncStatusOf } from "../../pilot/xds/status/sync-status.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import type { Watched } from "../../xds/stream/watch.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";
import { routeType, virtualHostType } from "../../xds/type-urls.ts";
import { routesOfHost } from "../../xds/virtual-hosts/host-name.ts";
import { mergeRoutes } from "../../xds/virtual-hosts/merge-routes.ts";
import { publicJson } from "../resource/resource-json.ts";
import type { Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { proxyPage } from "./find-proxy.ts";
import { quarantinedFor } from "./quarantine.ts";
import { resourceOrigins } from "./resource-origins.ts";

type ResourcesState = Pick<PilotState, "connections" | "originOf" | "patchesFor" | "timeOf" | "quarantine">;

export function resourcesPage(state: ResourcesState): Route {
  return proxyPage(
    {
      path: "/debug/resources",
      doc: "resources sent to one proxy, with their ACK or NACK and their objects, and objects that it refuses",
    },
    state,
    (connection) => dumpOf(connection, state),
  );
}

function dumpOf({ id, client, mode, watched }: Connection<Proxy>, state: ResourcesState) {
  const origins = resourceOrigins(state.patchesFor(client), state.originOf);
  return {
    node: client.nodeId,
    connection: id,
    mode,
    quarantined: quarantinedFor(client, state),
    types: watched.map((each) => ({
      type_url: each.subscription.type.typeUrl,
      state: syncStatusOf(each.subscription),
      ...(each.subscription.error !== undefined && { error: each.subscription.error }),
      ...missingIn(each),
      ...origins.removedOf(each.subscription.type.shortName),
      resources: resourcesOf(each, watched, origins),
    })),
  };
}

/** Secrets that the proxy requests and that do not exist. */
function missingIn({ subscription }: Watched): { readonly missing?: readonly string[] } {
  const missing = missingNames(subscription);
  return missing.length === 0 ? {} : { missing };
}

function resourcesOf(each: Watched, all: readonly Watched[], origins: ReturnType<typeof resourceOrigins>) {
  const { shortName } = each.subscription.type;
  const statuses = statusesOf(each, all);
  const subscriptions = all.map(({ subscription }) => subscription);
  return sentResources(each.subscription, subscriptions).map((resource) => ({
    ...origins.of(shortName, resource),
    version: resource.version,
    state: statuses.get(resource.name) ?? "STALE",
    resource: publicJson(resource.entry),
  }));
}

/** Routes are as current as the least current of their virtual hosts. */
function statusesOf(each: Watched, all: readonly Watched[]): ReadonlyMap<string, ResourceStatus["status"]> {
  const statuses = new Map(resourceStatuses(each).map(({ name, status }) => [name, status]));
  if (each.subscription.type.typeUrl !== routeType) return statuses;
  const hosts = all.find(({ subscription }) => subscription.type.typeUrl === virtualHostType);
  for (const { name, status } of hosts === undefined ? [] : resourceStatuses(hosts)) {
    const routes = routesOfHost(name);
    if (status !== "SYNCED" && statuses.get(routes) === "SYNCED") statuses.set(routes, status);
  }
  return statuses;
}

/**
 * The resources of a type that a client was sent and is subscribed to. Routes are whole, although the client may have
 * their virtual hosts as resources; `all` are all subscriptions of the client.
 */
export function sentResources(subscription: Subscription, all: readonly Subscription[]): readonly Resource[] {
  const sent = subscription.sent.flatMap((set) => [...set]).filter(({ name }) => subscription.wants(name));
  return subscription.type.typeUrl === routeType ? mergeRoutes(sent, hostsOf(all)?.sent ?? []) : sent;
}

/** The resources of a type that a client should have. Routes are whole; `all` are all types of the client. */
export function currentResources({ subscription, target = [] }: Watched, all: readonly Watched[]): readonly Resource[] {
  const current = target.flatMap((set) => [...set]).filter(({ name }) => subscription.wants(name));
  if (subscription.type.typeUrl !== routeType) return current;
  const hosts = all.find((each) => each.subscription.type.typeUrl === virtualHostType);
  return mergeRoutes(current, hosts?.target ?? []);
}

function hostsOf(subscriptions: readonly Subscription[]): Subscription | undefined {
  return subscriptions.find(({ type }) => type.typeUrl === virtualHostType);
}
