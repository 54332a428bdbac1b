import { expect, test } from "vitest";
import { conversionOf, endpoints, meshServiceIn, serviceWith } from "../../../../testing/galley/reviews-service.ts";

test("an empty service has no ports, and its endpoint has an unknown workload", () => {
  expect(meshServiceIn(conversionOf(serviceWith("{}"), endpoints))).toEqual({
    hostname: "reviews.shop.svc.cluster.local",
    access: { type: "virtual", addresses: [] },
    ports: [],
    externalAddresses: [],
    exportTo: [],
    selector: {},
    nodeLocal: false,
    trafficDistribution: "",
    publishNotReadyAddresses: false,
    endpoints: [
      {
        address: "10.0.0.1",
        weight: 0,
        labels: {},
        locality: { region: "", zone: "", subzone: "" },
        node: "",
        network: "",
        namespace: "",
        workloadName: "",
        workloadKind: "",
        hostname: "",
        subdomain: "",
        ports: { http: 8080 },
        health: "healthy",
      },
    ],
  });
});

test("a service has external addresses, each once, and no others; its field for the distribution counts first", () => {
  const spec = "externalIPs: [192.0.2.1, 192.0.2.1, nowhere], loadBalancerIP: 192.0.2.2, internalTrafficPolicy: Local";
  const annotations = ", annotations: {networking.istio.io/traffic-distribution: Any}";
  expect(
    meshServiceIn(conversionOf(serviceWith(`{${spec}, trafficDistribution: PreferClose}`, annotations))),
  ).toMatchObject({
    externalAddresses: ["192.0.2.1", "192.0.2.2"],
    nodeLocal: true,
    trafficDistribution: "PreferClose",
  });
  expect(meshServiceIn(conversionOf(serviceWith("{}", annotations))).trafficDistribution).toBe("Any");
});

test("a port without a name is named by its protocol and number", () => {
  const ports = "[{port: 53, protocol: UDP}, {port: 80}]";
  expect(meshServiceIn(conversionOf(serviceWith(`{ports: ${ports}}`))).ports).toEqual([
    { name: "udp-53", number: 53, protocol: "UDP", targetPort: 53, nodePort: 0 },
    { name: "tcp-80", number: 80, protocol: "UnsupportedProtocol", targetPort: 80, nodePort: 0 },
  ]);
});
