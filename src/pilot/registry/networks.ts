import type { MeshNetworks } from "#gen/istio/mesh/v1alpha1/network_pb.js";
import { isCidr, isIpAddress } from "../../config/address.ts";
import { compareTexts } from "../../lib/compare.ts";
import { BlockList, isIpv6 } from "../../lib/ip-address.ts";
import type { NetworkGateway } from "../model/networks.ts";

/** Which network an endpoint is in that does not say it itself. */
export interface NetworkRules {
  /** By the id of the cluster that registers it. */
  readonly byCluster: ReadonlyMap<string, string>;
  /** By address; the first counts. */
  readonly bySubnet: readonly { readonly subnet: string; readonly network: string }[];
}

/** Networks by name, so that the order of a file makes no difference. */
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

/** "" when nobody knows. */
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

/** The gateways that are given by address. A name would have to be looked up, and a service has no address outside. */
export function networkGatewaysOf(spec: MeshNetworks): readonly NetworkGateway[] {
  return networksOf(spec).flatMap(([network, { gateways }]) =>
    gateways.flatMap(({ gw, port }) =>
      gw.case === "address" && isIpAddress(gw.value) ? [{ network, clusterId: "", address: gw.value, port }] : [],
    ),
  );
}
