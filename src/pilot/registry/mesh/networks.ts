import type { MeshNetworks } from "#gen/istio/mesh/v1alpha1/network_pb.js";
import type { Config } from "../../../config/config.ts";
import { isCidr, isIpAddress } from "../../../config/grammar/address.ts";
import type { MeshService } from "../../../config/mesh/mesh-service.ts";
import { networkLabel } from "../../../config/mesh/topology-labels.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { BlockList, isIpv6 } from "../../../lib/ip-address.ts";
import type { NetworkGateway } from "../../model/location/networks.ts";

/** Rules that assign a network to endpoints without one. */
export interface NetworkRules {
  /** By the id of the cluster that registers the endpoint. */
  readonly byCluster: ReadonlyMap<string, string>;
  /** By address; the first match applies. */
  readonly bySubnet: readonly { readonly subnet: string; readonly network: string }[];
}

/** Sorts networks by name, so that the order in the file makes no difference. */
function networksOf({ networks }: MeshNetworks) {
  return Object.entries(networks).toSorted(([a], [b]) => compareTexts(a, b));
}

export function networkRulesOf(spec: MeshNetworks): NetworkRules {
  const members = networksOf(spec).flatMap(([network, { endpoints }]) => endpoints.map(({ ne }) => ({ network, ne })));
  return {
    byCluster: new Map(members.flatMap(({ network, ne }) => (ne.case === "fromRegistry" ? [[ne.value, network]] : []))),
    bySubnet: members.flatMap(({ network, ne }) =>
      ne.case === "fromCidr" && isCidr(ne.value) ? [{ subnet: ne.value, network }] : [],
    ),
  };
}

/** "" when unknown. */
export function networkOf(address: string, clusterId: string, rules: NetworkRules | undefined): string {
  const registered = rules?.byCluster.get(clusterId);
  if (registered !== undefined || rules === undefined || !isIpAddress(address)) return registered ?? "";
  return rules.bySubnet.find(({ subnet }) => holdsAddress(subnet, address))?.network ?? "";
}

function holdsAddress(subnet: string, address: string): boolean {
  const [start = "", bits = ""] = subnet.split("/");
  const list = new BlockList();
  list.addSubnet(start, Number(bits), familyOf(start));
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIpv6(address) ? "ipv6" : "ipv4";
}

/**
 * The gateways in the mesh's network settings: by address, or by a service of a cluster. A service is called at its
 * external addresses. A DNS name is ignored, because it would need a lookup.
 */
export function networkGatewaysOf(
  spec: MeshNetworks,
  servicesNamed: (hostname: string) => readonly MeshService[],
): readonly NetworkGateway[] {
  return networksOf(spec).flatMap(([network, { gateways }]) =>
    gateways.flatMap(({ gw, port }) => {
      const addresses =
        gw.case === "address"
          ? [gw.value]
          : servicesNamed(gw.value ?? "").flatMap(({ externalAddresses }) => externalAddresses);
      return addresses.filter(isIpAddress).map((address) => ({ network, clusterId: "", address, port }));
    }),
  );
}

const gatewayPortLabel = "networking.istio.io/gatewayPort";
const mutualPort = 15_443;

/** The gateways that a service provides: a service with a network label is a gateway of that network. */
export function serviceGatewaysOf({ labels, spec }: Config<MeshService>, clusterId: string): readonly NetworkGateway[] {
  const network = labels[networkLabel] ?? "";
  const port = Number(labels[gatewayPortLabel] ?? mutualPort);
  if (network === "" || spec.ports.every(({ number }) => number !== port)) return [];
  return spec.externalAddresses.map((address) => ({ network, clusterId, address, port }));
}
