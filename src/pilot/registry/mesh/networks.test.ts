import { expect, test } from "vitest";
import { parseMeshNetworks } from "../../../config/parse/mesh-files.ts";
import { clusterService } from "../../../testing/config/fake-cluster-service.ts";
import { networkGatewaysOf, networkOf, networkRulesOf, serviceGatewaysOf } from "./networks.ts";

const text = `
networks:
  north:
    endpoints: [{fromRegistry: c1}, {fromCidr: 10.2.0.0/16}]
    gateways: [{address: 192.0.2.1, port: 15443}, {address: gw.example.com, port: 15443}]
  south:
    endpoints: [{fromCidr: "fd00::/8"}, {fromCidr: 10.2.3.0/24}]
    gateways: [{registryServiceName: gw.istio-system.svc.cluster.local, port: 15443}]
`;
const spec = parseMeshNetworks({ file: "networks.yaml", text, source: "test" }).config?.spec;

test("an endpoint has the network of its cluster, else of its address, else none", () => {
  if (spec === undefined) throw new Error("the text is valid");
  const rules = networkRulesOf(spec);
  expect(networkOf("1.1.1.1", "c1", rules)).toBe("north");
  expect(networkOf("10.2.3.4", "c2", rules)).toBe("north");
  expect(networkOf("fd00::5", "c2", rules)).toBe("south");
  expect(networkOf("10.3.0.1", "c2", rules)).toBe("");
  expect(networkOf("name.example.com", "c2", rules)).toBe("");
  expect(networkOf("10.2.3.4", "c2", undefined)).toBe("");
});

test("gateways are set by address, or by a service with an external address", () => {
  if (spec === undefined) throw new Error("the text is valid");
  const north = { network: "north", clusterId: "", address: "192.0.2.1", port: 15443 };
  expect(networkGatewaysOf(spec, () => [])).toEqual([north]);
  const gateway = clusterService({ externalAddresses: ["192.0.2.9"] }).spec;
  const known = (hostname: string) => (hostname === "gw.istio-system.svc.cluster.local" ? [gateway] : []);
  expect(networkGatewaysOf(spec, known)).toEqual([north, { ...north, network: "south", address: "192.0.2.9" }]);
});

test("a service with a network label is a gateway of that network, at a port that it has", () => {
  const ports = [{ name: "tls", number: 15443, protocol: "TLS", targetPort: 15443, nodePort: 0 }];
  const service = clusterService({ ports, externalAddresses: ["192.0.2.9"] });
  const labels = { "topology.istio.io/network": "north" };
  const expected = [{ network: "north", clusterId: "c1", address: "192.0.2.9", port: 15443 }];
  expect(serviceGatewaysOf({ ...service, labels }, "c1")).toEqual(expected);
  expect(serviceGatewaysOf(service, "c1")).toEqual([]);
  const elsewhere = { ...labels, "networking.istio.io/gatewayPort": "443" };
  expect(serviceGatewaysOf({ ...service, labels: elsewhere }, "c1")).toEqual([]);
});
