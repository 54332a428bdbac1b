import { toJsonString } from "@bufbuild/protobuf";
import { type Cluster, Cluster_DiscoveryType } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { FilterChainMatchSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import { envoyRegistry } from "../envoy-registry.ts";
import { managerIn } from "../patch-filters.ts";
import type { PatchProblem } from "../patch-run.ts";
import { httpOrder, networkOrder } from "./filter-order.ts";

/** Demands of Envoy's code that its protos do not say. */
export function clusterProblems({ clusterDiscoveryType, loadAssignment }: Cluster): readonly PatchProblem[] {
  if (clusterDiscoveryType.case !== "type" || loadAssignment !== undefined) return [];
  const needsEndpoints = [
    Cluster_DiscoveryType.STATIC,
    Cluster_DiscoveryType.STRICT_DNS,
    Cluster_DiscoveryType.LOGICAL_DNS,
  ];
  if (!needsEndpoints.includes(clusterDiscoveryType.value)) return [];
  return [
    { path: "load_assignment", reason: `is required with type ${Cluster_DiscoveryType[clusterDiscoveryType.value]}` },
  ];
}

export function listenerProblems(listener: Listener): readonly PatchProblem[] {
  const { address, filterChains, defaultFilterChain, listenerSpecifier, apiListener } = listener;
  if (apiListener !== undefined) return [];
  const chains = [
    ...filterChains.map((chain, index) => ({ chain, path: `filter_chains[${index}]` })),
    ...(defaultFilterChain === undefined ? [] : [{ chain: defaultFilterChain, path: "default_filter_chain" }]),
  ];
  return [
    ...(address === undefined && listenerSpecifier.case === undefined
      ? [{ path: "address", reason: "is required" }]
      : []),
    ...(chains.length === 0 ? [{ path: "filter_chains", reason: "is empty: no filter chain is left" }] : []),
    ...chains.flatMap(({ chain, path }) => {
      const managers = chain.filters.map((filter) => managerIn(filter));
      return [
        ...networkOrder(chain.filters, `${path}.filters`),
        ...managers.flatMap((manager, index) =>
          manager === undefined ? [] : httpOrder(manager.httpFilters, `${path}.filters[${index}].http_filters`),
        ),
      ];
    }),
    ...repeated(
      filterChains.map(({ filterChainMatch: match }) => (match === undefined ? "" : jsonOf(match))),
      (index) => ({ path: `filter_chains[${index}].filter_chain_match`, reason: "is the match of another chain too" }),
    ),
  ];
}

function jsonOf(match: NonNullable<Listener["filterChains"][number]["filterChainMatch"]>): string {
  return toJsonString(FilterChainMatchSchema, match, { registry: envoyRegistry() });
}

export function routeProblems({ virtualHosts }: RouteConfiguration): readonly PatchProblem[] {
  const domains = virtualHosts.flatMap((host, index) =>
    host.domains.map((domain, place) => ({ domain, path: `virtual_hosts[${index}].domains[${place}]` })),
  );
  return repeated(
    domains.map(({ domain }) => domain.toLowerCase()),
    (index) => ({ path: domains[index]?.path ?? "", reason: `${domains[index]?.domain ?? ""} is claimed twice` }),
  );
}

/** A problem for every text that occurred before. */
function repeated(texts: readonly string[], problem: (index: number) => PatchProblem): readonly PatchProblem[] {
  const seen = new Set<string>();
  return texts.flatMap((text, index) => {
    if (seen.has(text)) return [problem(index)];
    seen.add(text);
    return [];
  });
}
