import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import type { FilterChain, FilterChainMatch } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";
import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";
import { addressText } from "./endpoint-table.ts";
import { ownerObjects } from "./owner-places.ts";

const head = ["ADDRESS", "PORT", "MATCH", "DESTINATION"];
const wideHead = ["NAME", "DIRECTION", "OBJECTS"];

/** As `istioctl proxy-config listener` has it: a line per filter chain. `wide` adds all objects behind a listener. */
export function listenerTable(known: KnownConfig, form: "text" | "wide" = "text"): string {
  const isWide = form === "wide";
  const rows = known.config.listeners.flatMap((listener) => {
    const more = isWide ? wideColumns(listener, known) : [];
    return chainsOf(listener).map((columns) => [...at(listener), ...columns, ...more]);
  });
  return textTable([...head, ...(isWide ? wideHead : [])], rows);
}

function wideColumns({ name, trafficDirection }: Listener, known: KnownConfig): readonly string[] {
  return [name, TrafficDirection[trafficDirection].toLowerCase(), ownerObjects(known, "listener", name)];
}

function at({ address, name }: Listener): readonly [address: string, port: string] {
  const text = addressText(address);
  const colon = text.lastIndexOf(":");
  // Listeners of proxyless clients have no address. Clients subscribe to them by name.
  return colon === -1 ? [name, "-"] : [text.slice(0, colon), text.slice(colon + 1)];
}

function chainsOf({ filterChains, defaultFilterChain, apiListener }: Listener) {
  const chains = filterChains.map((chain) => [matchText(chain.filterChainMatch), destinationOf(chain)]);
  const rest = defaultFilterChain === undefined ? [] : [["ALL", destinationOf(defaultFilterChain)]];
  const manager = apiListener?.apiListener && anyUnpack(apiListener.apiListener, HttpConnectionManagerSchema);
  const api = manager === undefined ? [] : [["ALL", routesText(manager.routeSpecifier)]];
  return [...chains, ...rest, ...api];
}

function matchText(match: FilterChainMatch | undefined): string {
  if (match === undefined) return "ALL";
  const { prefixRanges, serverNames, transportProtocol, applicationProtocols, destinationPort } = match;
  const parts = [
    ...(transportProtocol === "" ? [] : [`Trans: ${transportProtocol}`]),
    ...(applicationProtocols.length === 0 ? [] : [`App: ${applicationProtocols.join(",")}`]),
    ...(serverNames.length === 0 ? [] : [`SNI: ${serverNames.join(",")}`]),
    ...prefixRanges.map(({ addressPrefix, prefixLen }) => `Addr: ${addressPrefix}/${prefixLen ?? 0}`),
    ...(destinationPort === undefined ? [] : [`Port: ${destinationPort}`]),
  ];
  return parts.join("; ") || "ALL";
}

function destinationOf({ filters }: FilterChain): string {
  for (const { configType } of filters) {
    if (configType.case !== "typedConfig") continue;
    const manager = anyUnpack(configType.value, HttpConnectionManagerSchema);
    if (manager !== undefined) return routesText(manager.routeSpecifier);
    const tcp = anyUnpack(configType.value, TcpProxySchema);
    if (tcp === undefined) continue;
    const { case: how, value } = tcp.clusterSpecifier;
    if (how === "cluster") return `Cluster: ${value}`;
    return `Clusters: ${value?.clusters.map(({ name, weight }) => `${name} (${weight})`).join(", ") ?? ""}`;
  }
  return "-";
}

interface RouteSpecifier {
  readonly case: string | undefined;
  readonly value?: unknown;
}

function routesText({ case: how, value }: RouteSpecifier): string {
  if (how !== "rds") return "Inline Route";
  return `Route: ${(value as { readonly routeConfigName: string }).routeConfigName}`;
}
