import { expect, test } from "vitest";
import { parseMeshNetworks } from "../../config/mesh-networks.ts";
import { networkGatewaysOf, networkOf, networkRulesOf } from "./networks.ts";

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

test("an endpoint is in the network of its cluster, else of its address, else in none", () => {
  if (spec === undefined) throw new Error("the text is valid");
  const rules = networkRulesOf(spec);
  expect(networkOf("1.1.1.1", "c1", rules)).toBe("north");
  expect(networkOf("10.2.3.4", "c2", rules)).toBe("north");
  expect(networkOf("fd00::5", "c2", rules)).toBe("south");
  expect(networkOf("10.3.0.1", "c2", rules)).toBe("");
  expect(networkOf("name.example.com", "c2", rules)).toBe("");
  expect(networkOf("10.2.3.4", "c2", undefined)).toBe("");
});

test("gateways are those that are given by address", () => {
  if (spec === undefined) throw new Error("the text is valid");
  expect(networkGatewaysOf(spec)).toEqual([{ network: "north", clusterId: "", address: "192.0.2.1", port: 15443 }]);
});
