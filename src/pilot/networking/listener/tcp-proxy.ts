import { FilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { MongoProxySchema } from "#gen/envoy/extensions/filters/network/mongo_proxy/v3/mongo_proxy_pb.js";
import { TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";
import { memoize, oncePer } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../model/policy/traffic-policies.ts";
import type { Capabilities } from "../../model/proxy/capabilities.ts";
import type { Protocol } from "../../model/service/service.ts";
import type { DestinationRule, Tunnel } from "../../model/traffic/destination-rule.ts";
import { blackHoleCluster } from "../cluster/cluster-name.ts";
import { statsFilters } from "../telemetry/stats-filters.ts";
import { connectionLogs, type LogContext } from "./access-log.ts";
import type { ListenerSettings } from "./listener-settings.ts";
import { idleTimeoutOf } from "./listener-settings.ts";

/** The destination of a TCP connection. */
export interface TcpTarget {
  readonly statPrefix: string;
  /** One, or several by weight. */
  readonly clusters: string | readonly WeightedCluster[];
  /** The subset of the rule that the one cluster is; absent for several clusters, and for the whole host. */
  readonly subset?: string | undefined;
  /** The limit of connection duration, and the tunnel. */
  readonly rule?: DestinationRule | undefined;
}

/** One of several clusters; weights count in relation to each other. */
export interface WeightedCluster {
  readonly name: string;
  readonly weight: number;
}

/** Facts that every TCP proxy filter needs. */
interface TcpContext extends LogContext {
  readonly settings: TcpSettings;
}

/** The settings of a proxy that TCP proxying depends on. */
export type TcpSettings = Pick<ListenerSettings, "idleTimeoutMs">;

/** The encoded filters that end a TCP chain, by the port's protocol. */
export function tcpFilters(
  protocol: Protocol,
  target: TcpTarget,
  { settings, ...logged }: TcpContext,
  writer: ProtoWriter,
): readonly Uint8Array[] {
  const { statPrefix, clusters, rule } = target;
  // Only settings of the whole host, because they apply before the cluster is chosen.
  const { connectionPool, loadBalancer } = rule?.trafficPolicy ?? {};
  const tunnel = tunnelOf(target);
  const bySource = loadBalancer?.consistentHash?.key?.type === "source-ip";
  const proxy = writer.any(TcpProxySchema, {
    statPrefix,
    clusterSpecifier: clusterSpecifierOf(clusters),
    idleTimeout: connectionPool?.tcpIdleTimeout ?? idleTimeoutOf(settings),
    accessLog: connectionLogs(logged, writer),
    hashPolicy: bySource ? [sourceHash] : [],
    tunnelingConfig: tunnel && tunnelThrough(tunnel),
    maxDownstreamConnectionDuration: connectionPool?.maxConnectionDuration,
  });
  const last = filter("envoy.filters.network.tcp_proxy", proxy, writer);
  if (protocol !== "Mongo") return [last];
  const mongo = writer.any(MongoProxySchema, { statPrefix });
  return [filter("envoy.filters.network.mongo_proxy", mongo, writer), last];
}

const sourceHash = { policySpecifier: { case: "sourceIp", value: {} } } as const;

/** A subset's own tunnel takes precedence over the host's. */
function tunnelOf({ rule, subset }: TcpTarget): Tunnel | undefined {
  const own = rule?.subsets.find(({ name }) => name === subset)?.trafficPolicy;
  return own?.tunnel ?? rule?.trafficPolicy?.tunnel;
}

/** Opens a tunnel through the cluster, which is an HTTP proxy. */
function tunnelThrough({ method, targetHost, targetPort }: Tunnel) {
  return { hostname: `${targetHost}:${targetPort}`, usePost: method === "POST" };
}

function clusterSpecifierOf(clusters: TcpTarget["clusters"]) {
  if (typeof clusters === "string") return { case: "cluster", value: clusters } as const;
  return { case: "weightedClusters", value: { clusters } } as const;
}

function filter(name: string, config: Uint8Array, writer: ProtoWriter): Uint8Array {
  return writer.encode(FilterSchema, { name, configType: { case: "typedConfig", value: config } });
}

/** The facts that the filters of catch-all chains depend on. */
export interface CatchAllSettings extends TcpSettings {
  readonly capabilities: Capabilities;
}

interface CatchAllContext {
  readonly client: { readonly capabilities: Capabilities; readonly settings: TcpSettings };
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** The same for the few catch-all clusters: every listener shares them. */
export function catchAllFilters(
  cluster: string,
  { client: { capabilities, settings }, mesh, policies }: CatchAllContext,
  writer: ProtoWriter,
): readonly Uint8Array[] {
  return encodeCatchAll([mesh, policies, writer], { cluster, capabilities, idleTimeoutMs: settings.idleTimeoutMs });
}

/** One encoding for all outbound listeners. */
const encodeCatchAll = memoize(
  (
    [mesh, policies, writer]: readonly [MeshSettings, TrafficPolicies, ProtoWriter],
    { cluster, capabilities, ...settings }: CatchAllSettings & { readonly cluster: string },
  ): readonly Uint8Array[] => {
    const target = { statPrefix: cluster, clusters: cluster };
    return [
      ...outboundStats({ client: { capabilities }, mesh, policies }, writer),
      ...tcpFilters("TCP", target, { direction: "outbound", mesh, policies, settings }, writer),
    ];
  },
);

function outboundStats(
  {
    client,
    mesh,
    policies,
  }: Omit<CatchAllContext, "client"> & { readonly client: Pick<CatchAllSettings, "capabilities"> },
  writer: ProtoWriter,
): readonly Uint8Array[] {
  const { capabilities } = client;
  const stats = statsFilters({ direction: "outbound", capabilities, mesh, policies }, writer);
  return stats.map((message) => writer.encode(FilterSchema, message));
}

/** The filters for outbound connections that would loop for ever. */
export function outboundLoopFilters(context: CatchAllContext, writer: ProtoWriter): readonly Uint8Array[] {
  return [...outboundStats(context, writer), ...blackHoleFilters(writer)];
}

const blackHole = { statPrefix: blackHoleCluster, clusterSpecifier: clusterSpecifierOf(blackHoleCluster) };

/** Closes connections that would loop for ever. Nobody makes them on purpose, so they are not logged. */
export const blackHoleFilters = oncePer((writer: ProtoWriter): readonly Uint8Array[] => [
  filter("envoy.filters.network.tcp_proxy", writer.any(TcpProxySchema, blackHole), writer),
]);
