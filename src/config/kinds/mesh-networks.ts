import {
  MeshNetworksSchema,
  type Network,
  type Network_IstioNetworkGateway,
  type Network_NetworkEndpoints,
} from "#gen/istio/mesh/v1alpha1/network_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { isCidr, isIpAddress } from "../grammar/address.ts";
import { isFqdn, isWildcardDomain } from "../grammar/names.ts";
import type { Kind } from "../kind.ts";
import { portNumber } from "../rules/port.ts";

export const meshNetworks: Kind<typeof MeshNetworksSchema> = {
  kind: "MeshNetworks",
  group: "mesh.istio.io",
  versions: ["v1alpha1"],
  plural: "meshnetworks",
  scope: "cluster",
  collection: "istio/mesh/v1alpha1/MeshNetworks",
  schema: MeshNetworksSchema,
  validate: ({ spec }) =>
    Object.entries(spec.networks).flatMap(([name, network]) => ofNetwork(network, fieldPath("spec.networks", name))),
};

function ofNetwork({ endpoints, gateways }: Network, path: string): readonly Finding[] {
  return [
    ...endpoints.flatMap((endpoint, index) => ofEndpoints(endpoint, fieldPath(path, "endpoints", index))),
    ...gateways.flatMap((gateway, index) => ofGateway(gateway, fieldPath(path, "gateways", index))),
  ];
}

function ofEndpoints({ ne }: Network_NetworkEndpoints, path: string): readonly Finding[] {
  switch (ne.case) {
    case "fromCidr":
      return errorUnless(isCidr(ne.value), fieldPath(path, "fromCidr"), {
        code: "bad-address",
        message: `"${ne.value}" is not a subnet such as 10.0.0.0/8`,
      });
    case "fromRegistry":
      return errorUnless(isWildcardDomain(ne.value), fieldPath(path, "fromRegistry"), {
        code: "bad-name",
        message: `"${ne.value}" cannot be the name of a registry`,
      });
    case undefined:
    default:
      return [error(path, { code: "missing-value", message: "an endpoint needs fromCidr or fromRegistry" })];
  }
}

function ofGateway({ gw, port }: Network_IstioNetworkGateway, path: string): readonly Finding[] {
  return [...wayIn(gw, path), ...portNumber(port, fieldPath(path, "port"))];
}

function wayIn(gw: Network_IstioNetworkGateway["gw"], path: string): readonly Finding[] {
  switch (gw.case) {
    case "registryServiceName":
      return errorUnless(isFqdn(gw.value), fieldPath(path, "registryServiceName"), {
        code: "bad-host",
        message: `"${gw.value}" is not the host of a service`,
      });
    case "address":
      return errorUnless(isIpAddress(gw.value) || isFqdn(gw.value), fieldPath(path, "address"), {
        code: "bad-address",
        message: `"${gw.value}" is neither an IP address nor a host`,
      });
    case undefined:
    default:
      return [error(path, { code: "missing-value", message: "a gateway needs an address or a registryServiceName" })];
  }
}
