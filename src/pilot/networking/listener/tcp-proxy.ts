import { FilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { MongoProxySchema } from "#gen/envoy/extensions/filters/network/mongo_proxy/v3/mongo_proxy_pb.js";
import { TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";
import { Memo, oncePer } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Protocol } from "../../model/service/service.ts";
import type { DestinationRule, Tunnel } from "../../model/traffic/destination-rule.ts";
import { blackHoleCluster } from "../cluster/cluster-name.ts";
import { accessLogs } from "./access-log.ts";
import type { ListenerSettings } from "./listener-settings.ts";
import { idleTimeoutOf } from "./listener-settings.ts";

/** Where the bytes of a connection go. */
export interface TcpTarget {
  readonly statPrefix: string;
  /** One, or several by weight. */
  readonly clusters: string | readonly WeightedCluster[];
  /** Says how long connections may last, and how they get there. */
  readonly rule?: DestinationRule | undefined;
}

/** One of several clusters; weights count in relation to each other. */
export interface WeightedCluster {
  readonly name: string;
  readonly weight: number;
}

/** What is known wherever bytes are proxied. */
interface TcpSurroundings {
  readonly mesh: MeshSettings;
  readonly settings: ListenerSettings;
}

/** The encoded filters that end a chain of bytes, for what the port speaks. */
export function tcpFilters(
  protocol: Protocol,
  target: TcpTarget,
  { mesh, settings }: TcpSurroundings,
  writer: ProtoWriter,
): readonly Uint8Array[] {
  const { statPrefix, clusters, rule } = target;
  // Only what holds for the whole host: a connection is limited before its port's or subset's cluster is chosen.
  const { connectionPool, loadBalancer, tunnel } = rule?.trafficPolicy ?? {};
  const bySource = loadBalancer?.consistentHash?.key?.type === "source-ip";
  const proxy = writer.any(TcpProxySchema, {
    statPrefix,
    clusterSpecifier: clusterSpecifierOf(clusters),
    idleTimeout: connectionPool?.tcpIdleTimeout ?? idleTimeoutOf(settings),
    accessLog: accessLogs(mesh, writer),
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

/** Asks an HTTP proxy, which the cluster then is, to pass the connection on. */
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

const catchAlls = new Memo<readonly Uint8Array[]>();

/** The same for the few clusters that catch what nobody else takes: every listener shares them. */
export function catchAllFilters(
  cluster: string,
  { mesh, settings }: TcpSurroundings,
  writer: ProtoWriter,
): readonly Uint8Array[] {
  return catchAlls.get([mesh, writer], `${cluster} ${settings.idleTimeoutMs}`, () =>
    tcpFilters("TCP", { statPrefix: cluster, clusters: cluster }, { mesh, settings }, writer),
  );
}

const blackHole = { statPrefix: blackHoleCluster, clusterSpecifier: clusterSpecifierOf(blackHoleCluster) };

/** Ends connections that would go round for ever. Nobody means to make them, so nobody is told of them. */
export const blackHoleFilters = oncePer((writer: ProtoWriter): readonly Uint8Array[] => [
  filter("envoy.filters.network.tcp_proxy", writer.any(TcpProxySchema, blackHole), writer),
]);
