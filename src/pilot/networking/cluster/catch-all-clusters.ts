import { Cluster_DiscoveryType, Cluster_LbPolicy, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { HttpProtocolOptionsSchema } from "#gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import type { OutboundPolicy } from "../../model/scope/sidecar.ts";
import { clusterFilters } from "../filters/metadata-exchange.ts";
import { makeResource } from "../make-resource.ts";
import { bindConfigOf } from "./bind-config.ts";
import type { ClusterClient } from "./cluster-client.ts";
import { blackHoleCluster, clusterName, inboundPassthroughCluster, passthroughCluster } from "./cluster-name.ts";
import { circuitBreakersOf, upstreamConnectionOptionsOf } from "./connection-pool.ts";
import { emptyCluster } from "./empty-cluster.ts";
import { http1Options } from "./http-protocol-options.ts";

/**
 * The cluster for outbound traffic to unregistered destinations; undefined when such traffic is blocked. Where nothing
 * is `redirected` to the proxy, the destination would be the proxy itself.
 */
export function catchAllClusterOf({ mode, egressProxy }: OutboundPolicy, redirected: boolean): string | undefined {
  if (mode === "registry-only") return undefined;
  if (egressProxy !== undefined) return clusterName(egressProxy.port ?? 0, egressProxy.subset, egressProxy.hostname);
  return redirected ? passthroughCluster : undefined;
}

/** Clusters for traffic of no service: the black hole, and for sidecars the outbound and inbound passthrough. */
export function catchAllClusters(client: ClusterClient, mesh: MeshSettings, writer: ProtoWriter): readonly Resource[] {
  return buildClusters([mesh, writer], client);
}

const buildClusters = memoize(
  ([mesh, writer]: readonly [MeshSettings, ProtoWriter], client: ClusterClient): readonly Resource[] => {
    const blackHole = emptyCluster({ name: blackHoleCluster, mesh, owners: [] }, writer);
    if (client.type === "router") return [blackHole];
    return [blackHole, buildPassthrough(client, mesh, writer), buildInboundPassthrough(client, mesh, writer)];
  },
);

function buildPassthrough({ capabilities }: ClusterClient, mesh: MeshSettings, writer: ProtoWriter): Resource {
  const any = writer.any(ClusterSchema, {
    ...passthrough(mesh, writer),
    name: passthroughCluster,
    filters: clusterFilters(capabilities, writer),
  });
  return makeResource({ name: passthroughCluster, any, owners: [] });
}

function buildInboundPassthrough({ families }: ClusterClient, mesh: MeshSettings, writer: ProtoWriter): Resource {
  const name = inboundPassthroughCluster;
  const any = writer.any(ClusterSchema, {
    ...passthrough(mesh, writer),
    name,
    upstreamBindConfig: bindConfigOf(families),
  });
  return makeResource({ name, any, owners: [] });
}

/** Both share one name in statistics. */
function passthrough(mesh: MeshSettings, writer: ProtoWriter) {
  const pool = mesh.defaultConnectionPool;
  return {
    altStatName: `${passthroughCluster};`,
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.ORIGINAL_DST },
    connectTimeout: pool?.connectTimeout ?? mesh.connectTimeout,
    lbPolicy: Cluster_LbPolicy.CLUSTER_PROVIDED,
    circuitBreakers: circuitBreakersOf(pool),
    typedExtensionProtocolOptions: { [HttpProtocolOptionsSchema.typeName]: asClient(mesh, writer) },
    upstreamConnectionOptions: upstreamConnectionOptionsOf(pool?.tcpKeepalive, mesh.tcpKeepalive),
  } as const;
}

function asClient({ preserveHeaderCase }: MeshSettings, writer: ProtoWriter): Uint8Array {
  return writer.any(HttpProtocolOptionsSchema, {
    commonHttpProtocolOptions: { idleTimeout: { seconds: 300n, nanos: 0 } },
    upstreamProtocolOptions: {
      case: "useDownstreamProtocolConfig",
      value: { httpProtocolOptions: http1Options(preserveHeaderCase, writer), http2ProtocolOptions: {} },
    },
  });
}
