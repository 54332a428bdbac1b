import { isIpv6 } from "../../../lib/ip-address.ts";
import { Memo } from "../../../lib/memo.ts";
import { gatewaysInto, type NetworkGateway, type Networks, networkGatewayKey } from "../../model/place/networks.ts";
import type { Standpoint } from "../../model/place/standpoint.ts";
import type { Endpoint } from "../../model/service/service.ts";
import { type EndpointGroup, maxWeight, totalWeight } from "./endpoint-group.ts";
import { weightOf } from "./lb-endpoint.ts";

/**
 * Endpoints of networks that the client does not reach are replaced by the gateways into them, which weigh what they
 * stand for. Only mesh mTLS says behind a gateway who is meant, so endpoints without it cannot be reached at all.
 */
export function throughGateways(
  groups: readonly EndpointGroup[],
  networks: Networks,
  standpoint: Standpoint,
): readonly EndpointGroup[] {
  if (networks.gateways.length === 0) return groups.map(addressed);
  return groups.map((group) => {
    const endpoints = reachedEndpoints(group, networks, standpoint);
    return { ...group, endpoints, weight: totalWeight(endpoints) };
  });
}

/** An endpoint of another network may have no address of its own: without gateways nobody reaches it. */
function addressed(group: EndpointGroup): EndpointGroup {
  if (group.endpoints.every(({ address }) => address !== "")) return group;
  const endpoints = group.endpoints.filter(({ address }) => address !== "");
  return { ...group, endpoints, weight: totalWeight(endpoints) };
}

function reachedEndpoints(group: EndpointGroup, networks: Networks, standpoint: Standpoint): readonly Endpoint[] {
  const direct: Endpoint[] = [];
  const weights = new Map<NetworkGateway, number>();
  for (const endpoint of group.endpoints) {
    const gateways = gatewaysInto(networks, endpoint.network, endpoint.clusterId);
    const weight = Math.min(maxWeight, weightOf(endpoint) * networks.weightScale);
    if (gateways.length === 0 || isInNetwork(endpoint, standpoint)) {
      if (endpoint.address !== "") direct.push(weighing(endpoint, weight));
      continue;
    }
    if (endpoint.tlsMode !== "istio") continue;
    const reached = gateways.filter((gateway) => isOfFamily(gateway, standpoint));
    for (const gateway of reached) {
      weights.set(gateway, (weights.get(gateway) ?? 0) + Math.floor(weight / reached.length));
    }
  }
  const used = networks.gateways.filter((gateway) => weights.has(gateway));
  return [...direct, ...used.map((gateway) => asEndpoint(gateway, group.locality, weights.get(gateway) ?? 1))];
}

/** Who does not say where it is reaches what does not say so either, and the rest through gateways. */
function isInNetwork({ network }: Endpoint, standpoint: Standpoint): boolean {
  return network === "" || network === standpoint.network;
}

function isOfFamily({ address }: NetworkGateway, { families }: Standpoint): boolean {
  return families === "dual" || families === (isIpv6(address) ? "v6" : "v4");
}

const weighed = new Memo<Endpoint>();

function weighing(endpoint: Endpoint, weight: number): Endpoint {
  return endpoint.weight === weight ? endpoint : weighed.get([endpoint], `${weight}`, () => ({ ...endpoint, weight }));
}

const standing = new Memo<Endpoint>();

function asEndpoint(gateway: NetworkGateway, locality: string, weight: number): Endpoint {
  const { address, port, network, clusterId } = gateway;
  return standing.get([gateway], `${networkGatewayKey(gateway)} ${locality} ${weight}`, () => ({
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
  }));
}
