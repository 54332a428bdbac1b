import { toBinary } from "@bufbuild/protobuf";
import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { type Listener, ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { type VirtualHost, VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import { type EnvoyConfig, routesNamed } from "../../explain/envoy-config.ts";
import { endsTls } from "../../explain/listener/downstream-tls.ts";
import { terminalFilterOf } from "../../explain/listener/terminal-filter.ts";
import type { SimulatedRequest } from "../../explain/simulated-request.ts";
import { isAnyAddress, socketOf } from "../../explain/socket-address.ts";
import { clusterNamesIn } from "./named-clusters.ts";
import { sampleRequest } from "./sample-request.ts";

/** A part of a configuration that takes requests, and the requests that follow from it. */
export interface RequestPlace {
  /** Tells it from the other places, and finds it on the other side of a change. */
  readonly id: string;
  /** Equal digests have equal routes. */
  readonly digest: string;
  /** The clusters that it may send requests to. */
  readonly clusters: ReadonlySet<string>;
  /** The requests, and how many routes have conditions for which none was found. */
  readonly requests: () => { readonly asked: readonly SimulatedRequest[]; readonly unsampled: number };
}

/** All places of a configuration: virtual hosts behind their listeners, and chains without HTTP. */
export function requestPlaces(config: EnvoyConfig, type: "sidecar" | "router"): readonly RequestPlace[] {
  return config.listeners.flatMap((listener) => {
    if (listener.udpListenerConfig !== undefined || listener.apiListener !== undefined) return [];
    const chains = [...listener.filterChains, ...(listener.defaultFilterChain ? [listener.defaultFilterChain] : [])];
    return chains.flatMap((chain, index) => placesOf({ listener, chain, index, config, type }));
  });
}

interface PlacedChain {
  readonly listener: Listener;
  readonly chain: FilterChain;
  readonly index: number;
  readonly config: EnvoyConfig;
  readonly type: "sidecar" | "router";
}

function placesOf(placed: PlacedChain): readonly RequestPlace[] {
  const { listener, chain, index, config } = placed;
  const terminal = terminalFilterOf(chain);
  const base = baseOf(placed);
  if (terminal === undefined || base === undefined) return [];
  const id = `${listener.name} ${chain.name || index}`;
  if (terminal.type === "tcp") {
    const asked = [{ ...base, protocol: base.sni === undefined ? ("tcp" as const) : ("tls" as const) }];
    const clusters = clusterNamesIn(terminal.proxy);
    return [{ id, digest: digestOf(listener), clusters, requests: () => ({ asked, unsampled: 0 }) }];
  }
  const { routeSpecifier } = terminal.manager;
  const routes =
    routeSpecifier.case === "rds"
      ? routesNamed(config, routeSpecifier.value.routeConfigName)
      : routeSpecifier.case === "routeConfig"
        ? routeSpecifier.value
        : undefined;
  return (routes?.virtualHosts ?? []).map((host) => hostPlace(host, { id, base, listener, routes }));
}

interface HostContext {
  readonly id: string;
  readonly base: SimulatedRequest;
  readonly listener: Listener;
  readonly routes: RouteConfiguration | undefined;
}

function hostPlace(host: VirtualHost, { id, base, listener, routes }: HostContext): RequestPlace {
  return {
    id: `${id} ${routes?.name ?? ""} ${host.name}`,
    digest: `${digestOf(listener)} ${Buffer.from(toBinary(VirtualHostSchema, host)).toString("base64")}`,
    clusters: clusterNamesIn(host),
    requests() {
      const spelled = { ...base, host: hostIn(host.domains, base) };
      const samples = host.routes.map(({ match }) => match && sampleRequest(match, spelled));
      const asked = samples.filter((sample) => sample !== undefined);
      return { asked, unsampled: samples.length - asked.length };
    },
  };
}

function digestOf(listener: Listener): string {
  return Buffer.from(toBinary(ListenerSchema, listener)).toString("base64");
}

/** The connection that reaches this chain. Undefined where no address is known. */
function baseOf({ listener, chain, type }: PlacedChain): SimulatedRequest | undefined {
  const socket = socketOf(listener.address);
  const isInbound = listener.trafficDirection === TrafficDirection.INBOUND;
  const port = chain.filterChainMatch?.destinationPort ?? socket?.port;
  if (socket === undefined || port === undefined) return undefined;
  const [sni] = chain.filterChainMatch?.serverNames ?? [];
  const name = sni?.replace(/^\*\./u, "any.");
  const isTls = name !== undefined || endsTls(chain);
  return {
    port,
    host: name ?? socket.address,
    path: "/",
    method: "GET",
    headers: {},
    direction: isInbound ? "inbound" : type === "router" ? "gateway" : "outbound",
    ...(isTls && { protocol: "tls", ...(name !== undefined && { sni: name }) }),
    ...(!isInbound && !isAnyAddress(socket.address) && { address: socket.address }),
  };
}

/** The name that people use: without a port, and not an address. */
function hostIn(domains: readonly string[], { port }: SimulatedRequest): string {
  const first = domains.find((domain) => !/:\d+$/u.test(domain) && !/^[\d.]+$/u.test(domain)) ?? "*";
  const long = domains.find((domain) => domain.endsWith(".svc.cluster.local")) ?? first;
  if (long === "*") return `any.example:${port}`;
  return long.startsWith("*") ? `any${long.slice(1)}` : long;
}
