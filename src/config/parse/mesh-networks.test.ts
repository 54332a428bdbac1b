import { describe, expect, test } from "vitest";
import { parseMeshNetworks } from "./mesh-networks.ts";

function parse(text: string) {
  return parseMeshNetworks({ text, file: "networks.yaml", source: "networks:networks.yaml" });
}

const two = `networks:
  east:
    endpoints:
      - fromRegistry: cluster-east
      - fromCidr: 10.1.0.0/16
    gateways:
      - address: 192.0.2.1
        port: 15443
  west/1:
    gateways:
      - registryServiceName: istio-ingressgateway.istio-system.svc.cluster.local
        port: 15443
        locality: us-west
`;

describe("the networks of a mesh", () => {
  test("are read with their endpoints and gateways", () => {
    const { config, issues } = parse(two);
    expect(issues).toMatchObject([{ severity: "warning", code: "no-effect", place: { line: 13 } }]);
    expect(config).toMatchObject({ kind: "MeshNetworks", name: "networks", namespace: "" });
    expect(Object.keys(config?.spec.networks ?? {})).toEqual(["east", "west/1"]);
    expect(config?.spec.networks["east"]).toMatchObject({ gateways: [{ port: 15443 }] });
  });

  test("are none in an empty file", () => {
    expect(parse("").config?.spec.networks).toEqual({});
  });

  test("are read although a field is unknown, which is a warning", () => {
    const { config, issues } = parse(two.replace("locality", "locallity"));
    expect(config).toBeDefined();
    expect(issues).toMatchObject([{ severity: "warning", code: "unknown-field", place: { line: 13 } }]);
  });

  test.each([
    ["a subnet that is none", "fromCidr: 10.1.0.0/16", "fromCidr: 10.1.0.0/99", 5, "bad-address"],
    ["a registry without a name", "fromRegistry: cluster-east", 'fromRegistry: ""', 4, "bad-name"],
    ["endpoints of nothing", "- fromRegistry: cluster-east", "- {}", 4, "missing-value"],
    ["an address that is none", "address: 192.0.2.1", "address: 192.0.2.1/8", 7, "bad-address"],
    ["a gateway without an address", "address: 192.0.2.1", "locality: east", 7, "missing-value"],
    ["a port that is none", "port: 15443\n  west", "port: 70000\n  west", 8, "bad-port"],
    ["a service that is none", "istio-ingressgateway.istio", "istio_ingress.istio", 11, "bad-host"],
  ])("with %s are an error, with its line", (_what, before, after, line, code) => {
    const { config, issues } = parse(two.replace(before, after));
    expect(config).toBeUndefined();
    expect(issues).toMatchObject([{ severity: "error", code, place: { line } }]);
  });
});
