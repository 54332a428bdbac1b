import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { Cluster } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { ClusterLoadAssignment } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { VirtualHost_TlsRequirementType } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { endpointsOf } from "./endpoints-of.ts";
import { findVirtualHost } from "./find-virtual-host.ts";
import { matchesRoute } from "./matches-route.ts";
import type { Outcome } from "./outcome.ts";
import { outcomeOf, tlsRedirect } from "./outcome.ts";
import type { Request } from "./request.ts";

/** What one proxy holds. */
export interface ProxyConfig {
  readonly listeners: readonly Listener[];
  readonly routes: readonly RouteConfiguration[];
  readonly clusters: readonly Cluster[];
  readonly endpoints: readonly ClusterLoadAssignment[];
}

/** One decision on the way, by the name of what was chosen. */
interface Step {
  readonly type: "listener" | "route configuration" | "virtual host" | "route" | "cluster";
  readonly name: string;
  /** Of a cluster: the addresses it may choose from. */
  readonly endpoints?: readonly string[];
}

export interface Explanation {
  readonly steps: readonly Step[];
  readonly outcome: Outcome;
}

/** Where would this request go? Walks the configuration as Envoy would, without its load balancing. */
export function explain(config: ProxyConfig, request: Request): Explanation {
  const steps: Step[] = [];
  const outcome = walk(config, request, steps);
  if (outcome.type !== "forwarded") return { steps, outcome };
  for (const { cluster } of outcome.targets) {
    steps.push({ type: "cluster", name: cluster, endpoints: endpointsOf(cluster, config) });
  }
  const unknown = outcome.targets.filter(({ cluster }) => !config.clusters.some(({ name }) => name === cluster));
  if (unknown.length === 0) return { steps, outcome };
  const names = unknown.map(({ cluster }) => cluster).join(", ");
  return { steps, outcome: { type: "refused", reason: `there is no cluster ${names}` } };
}

function walk(config: ProxyConfig, request: Request, steps: Step[]): Outcome {
  const listener = config.listeners.find((candidate) => portOf(candidate) === request.port);
  if (listener === undefined) return refused(`nobody listens on port ${request.port}`);
  steps.push({ type: "listener", name: listener.name });

  const routeName = routeNameOf(listener);
  const routes = config.routes.find(({ name }) => name === routeName);
  if (routes === undefined) return refused(`there is no route configuration ${routeName}`);
  steps.push({ type: "route configuration", name: routes.name });

  const virtualHost = findVirtualHost(routes, request.host);
  if (virtualHost === undefined) return refused(`no virtual host serves ${request.host}`);
  steps.push({ type: "virtual host", name: virtualHost.name });
  if (virtualHost.requireTls === VirtualHost_TlsRequirementType.ALL) return tlsRedirect(request);

  const route = virtualHost.routes.find(({ match }) => match !== undefined && matchesRoute(match, request));
  if (route === undefined) return refused("no route matches");
  steps.push({ type: "route", name: route.name });
  return outcomeOf(route, request);
}

function refused(reason: string): Outcome {
  return { type: "refused", reason };
}

function portOf({ address }: Listener): number | undefined {
  const socket = address?.address;
  if (socket?.case !== "socketAddress") return undefined;
  return socket.value.portSpecifier.case === "portValue" ? socket.value.portSpecifier.value : undefined;
}

/** The route configuration that the listener's first HTTP filter chain asks for. */
function routeNameOf({ filterChains }: Listener): string {
  for (const { configType } of filterChains.flatMap(({ filters }) => filters)) {
    if (configType.case !== "typedConfig") continue;
    const manager = anyUnpack(configType.value, HttpConnectionManagerSchema);
    if (manager?.routeSpecifier.case === "rds") return manager.routeSpecifier.value.routeConfigName;
  }
  return "";
}
