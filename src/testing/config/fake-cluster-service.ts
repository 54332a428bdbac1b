import type { Config } from "../../config/config.ts";
import { type MeshEndpoint, type MeshService, meshServiceConfig } from "../../config/mesh/mesh-service.ts";

/** The service `cart` of namespace `shop`, of age 2, with one port. */
export function clusterService(spec: Partial<MeshService> = {}): Config<MeshService> {
  const around = {
    namespace: "shop",
    name: "cart",
    labels: {},
    annotations: {},
    createdAt: 2,
    origin: { source: "test", reference: "cart", locate: () => undefined },
  };
  return meshServiceConfig(around, {
    hostname: "cart.shop",
    access: { type: "virtual", addresses: [] },
    ports: [{ name: "http", number: 80, protocol: "HTTP", targetPort: "web", nodePort: 0 }],
    externalAddresses: [],
    exportTo: [],
    selector: {},
    nodeLocal: false,
    trafficDistribution: "",
    publishNotReadyAddresses: false,
    endpoints: undefined,
    ...spec,
  });
}

export function clusterEndpoint(address: string, changes: Partial<MeshEndpoint> = {}): MeshEndpoint {
  return {
    address,
    ports: { http: 8080 },
    health: "healthy",
    labels: {},
    locality: { region: "", zone: "", subzone: "" },
    node: "",
    network: "",
    weight: 0,
    serviceAccount: "cart",
    namespace: "shop",
    workloadName: "cart",
    workloadKind: "Deployment",
    hostname: "",
    subdomain: "",
    ...changes,
  };
}
