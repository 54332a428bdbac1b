import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { ConfigId } from "../../config/config.ts";
import { type EnvoyConfig, ownersIn, routesNamed } from "../../explain/envoy-config.ts";
import { socketOf } from "../../explain/socket-address.ts";
import type { Risk } from "../plan.ts";

/** Ports on which a proxy accepts connections from others after the change, and not before it. */
export function openedPorts(before: EnvoyConfig, after: EnvoyConfig, type: "sidecar" | "router"): readonly Risk[] {
  const known = new Set(before.listeners.flatMap((listener) => portsOf(listener, type)));
  return after.listeners.flatMap((listener) =>
    portsOf(listener, type)
      .filter((port) => !known.has(port))
      .map((port): Risk => {
        const objects = after.ownersOf?.("listener", listener.name) ?? [];
        return { code: "port-opened", text: `port ${port} is opened (listener ${listener.name})`, objects };
      }),
  );
}

/** Of a router all ports, of a sidecar those of its workload. */
function portsOf(listener: Listener, type: "sidecar" | "router"): readonly number[] {
  const isInbound = listener.trafficDirection === TrafficDirection.INBOUND;
  if (type === "sidecar" && !isInbound) return [];
  const socket = socketOf(listener.address);
  const ofChains = listener.filterChains.flatMap(({ filterChainMatch }) => filterChainMatch?.destinationPort ?? []);
  if (isInbound && ofChains.length > 0) return [...new Set(ofChains)];
  return socket === undefined ? [] : [socket.port];
}

/** Hosts of a router's route configurations that only other objects have routes for after the change. */
export function newHostOwners(before: EnvoyConfig, after: EnvoyConfig, names: Iterable<string>): readonly Risk[] {
  return [...names].flatMap((name) => {
    const [was, is] = [hostOwners(before, name), hostOwners(after, name)];
    return [...is].flatMap(([host, owners]): readonly Risk[] => {
      const old = was.get(host);
      if (old === undefined || old.size === 0 || owners.size === 0 || !old.isDisjointFrom(owners)) return [];
      const text = `${host} (${name}) is served by ${[...owners].join(", ")} instead of ${[...old].join(", ")}`;
      return [{ code: "gateway-owner", text, objects: [...owners, ...old] }];
    });
  });
}

/** The objects whose routes a host has, by its name. */
function hostOwners(config: EnvoyConfig, name: string): ReadonlyMap<string, ReadonlySet<ConfigId>> {
  const hosts = routesNamed(config, name)?.virtualHosts ?? [];
  return new Map(hosts.map((host) => [host.name, new Set(host.routes.flatMap(({ metadata }) => ownersIn(metadata)))]));
}
