import { FilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { MongoProxySchema } from "#gen/envoy/extensions/filters/network/mongo_proxy/v3/mongo_proxy_pb.js";
import { TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Duration } from "../../model/duration.ts";
import type { Protocol } from "../../model/service.ts";

/** Where the bytes of a connection go. */
export interface TcpTarget {
  readonly statPrefix: string;
  /** One, or several by weight. */
  readonly clusters: string | readonly WeightedCluster[];
  readonly idleTimeout?: Duration | undefined;
  readonly maxConnectionDuration?: Duration | undefined;
}

export interface WeightedCluster {
  readonly name: string;
  readonly weight: number;
}

/** The encoded filters that end a chain of bytes, for what the port speaks. */
export function tcpFilters(protocol: Protocol, target: TcpTarget, writer: ProtoWriter): readonly Uint8Array[] {
  const { statPrefix, clusters, idleTimeout, maxConnectionDuration } = target;
  const proxy = writer.any(TcpProxySchema, {
    statPrefix,
    clusterSpecifier: clusterSpecifierOf(clusters),
    idleTimeout,
    maxDownstreamConnectionDuration: maxConnectionDuration,
  });
  const last = filter("envoy.filters.network.tcp_proxy", proxy, writer);
  if (protocol !== "Mongo") return [last];
  const mongo = writer.any(MongoProxySchema, { statPrefix });
  return [filter("envoy.filters.network.mongo_proxy", mongo, writer), last];
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
export function catchAllFilters(cluster: string, writer: ProtoWriter): readonly Uint8Array[] {
  return catchAlls.get([writer], cluster, () => tcpFilters("TCP", { statPrefix: cluster, clusters: cluster }, writer));
}
