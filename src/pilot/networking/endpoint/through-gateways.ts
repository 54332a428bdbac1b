import { memoize } from "../../../lib/memo.ts";
import { gatewaysInto, type NetworkGateway, type Networks } from "../../model/location/networks.ts";
import type { ProxyLocation } from "../../model/location/proxy-location.ts";
import { isOfFamilies } from "../../model/proxy/address-families.ts";
import type { Endpoint } from "../../model/service/service.ts";
import { type EndpointGroup, maxWeight, totalWeight } from "./endpoint-group.ts";
import { weightOf } from "./lb-endpoint.ts";

/**
 * Replaces endpoints of unreachable networks by the gateways of these networks, with the weights of the endpoints. A
 * gateway routes by the SNI of mesh mTLS, so endpoints without mesh mTLS are unreachable.
 */
export function throughGateways(
  groups: readonly EndpointGroup[],
  networks: Networks,
  location: ProxyLocation,
): readonly EndpointGroup[] {
  if (networks.gateways.length === 0) return groups.map(addressed);
  return groups.map((group) => {
    const endpoints = reachedEndpoints(group, networks, location);
    return { ...group, endpoints, weight: totalWeight(endpoints) };
  });
}

/** An endpoint of another network may have no address of its own. Without gateways it is unreachable. */
function addressed(group: EndpointGroup): EndpointGroup {
  if (group.endpoints.every(({ address }) => address !== "")) return group;
  const endpoints = group.endpoints.filter(({ address }) => address !== "");
  return { ...group, endpoints, weight: totalWeight(endpoints) };
}

function reachedEndpoints(group: EndpointGroup, networks: Networks, location: ProxyLocation): readonly Endpoint[] {
  const { locality } = group;
  const direct: Endpoint[] = [];
  const weights = new Map<NetworkGateway, number>();
  for (const endpoint of group.endpoints) {
    const gateways = gatewaysInto(networks, endpoint.network, endpoint.clusterId);
    const weight = Math.min(maxWeight, weightOf(endpoint) * networks.weightScale);
    if (gateways.length === 0 || isInNetwork(endpoint, location)) {
      if (endpoint.address !== "") direct.push(withEndpointWeight(endpoint, weight));
      continue;
    }
    if (endpoint.tlsMode !== "istio") continue;
    const reached = gateways.filter(({ address }) => isOfFamilies(address, location.families));
    for (const gateway of reached) {
      weights.set(gateway, (weights.get(gateway) ?? 0) + Math.floor(weight / reached.length));
    }
  }
  const used = networks.gateways.filter((gateway) => weights.has(gateway));
  return [...direct, ...used.map((gateway) => asEndpoint([gateway], { locality, weight: weights.get(gateway) ?? 1 }))];
}

/** Without a network on one side, both count as in the same network. */
function isInNetwork({ network }: Endpoint, location: ProxyLocation): boolean {
  return network === "" || location.network === "" || network === location.network;
}

function withEndpointWeight(endpoint: Endpoint, weight: number): Endpoint {
  return endpoint.weight === weight ? endpoint : withWeight([endpoint], { weight });
}

const withWeight = memoize(
  ([endpoint]: readonly [Endpoint], { weight }: { readonly weight: number }): Endpoint => ({ ...endpoint, weight }),
);

const asEndpoint = memoize(
  (
    [{ address, port, network, clusterId }]: readonly [NetworkGateway],
    { locality, weight }: { readonly locality: string; readonly weight: number },
  ): Endpoint => ({
    address,
    port,
    servicePortName: "",
    labels: {},
    locality,
    network,
    weight,
    serviceAccount: "",
    tlsMode: "istio",
    workloadName: "",
    namespace: "",
    clusterId,
    node: "",
  }),
);
