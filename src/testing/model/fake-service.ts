import { configId } from "../../config/config.ts";
import type { Endpoint, Service } from "../../pilot/model/service/service.ts";

export function fakeService(changes: Partial<Service> = {}): Service {
  return {
    hostname: "cart.shop",
    namespace: "shop",
    registry: "External",
    ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 80 }],
    addresses: [],
    resolution: "static",
    meshExternal: false,
    subjectAltNames: [],
    racesAddresses: false,
    aliases: [],
    trafficDistribution: "any",
    nodeLocal: false,
    exportTo: ["*"],
    labels: {},
    createdAt: 0,
    owner: configId("ServiceEntry", "shop", "cart"),
    ...changes,
  };
}

export function fakeEndpoint(changes: Partial<Endpoint> = {}): Endpoint {
  return {
    address: "10.0.0.5",
    port: 80,
    servicePortName: "http",
    labels: {},
    locality: "",
    network: "",
    weight: 0,
    serviceAccount: "",
    tlsMode: "disabled",
    workloadName: "",
    namespace: "",
    clusterId: "c1",
    node: "",
    ...changes,
  };
}
