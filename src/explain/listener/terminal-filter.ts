import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { Filter, FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import {
  type HttpConnectionManager,
  HttpConnectionManagerSchema,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { type TcpProxy, TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";
import type { ClusterShare } from "../explanation.ts";
import { clusterSharesOf } from "../shares.ts";

/** The filter at the end of a chain, which decides where its connections go. */
export type TerminalFilter = { readonly filter: Filter } & (
  | { readonly type: "http"; readonly manager: HttpConnectionManager }
  | { readonly type: "tcp"; readonly proxy: TcpProxy }
);

/** Undefined for a chain with another terminal filter, such as Redis. */
export function terminalFilterOf({ filters }: FilterChain): TerminalFilter | undefined {
  for (const filter of filters) {
    const { configType } = filter;
    if (configType.case !== "typedConfig") continue;
    const manager = anyUnpack(configType.value, HttpConnectionManagerSchema);
    if (manager !== undefined) return { type: "http", filter, manager };
    const proxy = anyUnpack(configType.value, TcpProxySchema);
    if (proxy !== undefined) return { type: "tcp", filter, proxy };
  }
  return undefined;
}

/** The clusters behind a TCP proxy; none when its weights are all 0. */
export function tcpTargetsOf({ clusterSpecifier }: TcpProxy): readonly ClusterShare[] {
  if (clusterSpecifier.case === "cluster") return [{ cluster: clusterSpecifier.value, share: 1 }];
  if (clusterSpecifier.case !== "weightedClusters") return [];
  return clusterSharesOf(clusterSpecifier.value.clusters);
}
