/** The proxies of `steadyProxies` have the addresses 10.240.0.0 to 10.240.0.7. */
const proxyAddresses = Array.from({ length: 8 }, (_, index) => `10.240.0.${index}`);

export interface WrittenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: object;
}

function networking(kind: string, name: string, spec: object): WrittenObject {
  return { apiVersion: "networking.istio.io/v1", kind, metadata: { name, namespace: "shop" }, spec };
}

function security(name: string, spec: object): WrittenObject {
  const metadata = { name, namespace: "shop" };
  return { apiVersion: "security.istio.io/v1", kind: "AuthorizationPolicy", metadata, spec };
}

function service(name: string, endpoints: readonly object[]): WrittenObject {
  return networking("ServiceEntry", name, {
    hosts: [`${name}.shop.svc.cluster.local`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 9080, name: "main", protocol: "HTTP" }],
    endpoints,
  });
}

/** Objects that no generation changes. Resources made only from these carry `stays-` in their names. */
export function constantObjects(services = 20): readonly WrittenObject[] {
  const names = Array.from({ length: services }, (_, index) => `stays-${index}`);
  return [
    ...names.map((name) => service(name, [{ address: "10.1.0.1" }, { address: "10.1.0.2" }])),
    // Every sidecar has inbound listeners, which the policies of a generation guard.
    service(
      "guarded",
      proxyAddresses.map((address) => ({ address })),
    ),
    networking("Gateway", "public", {
      selector: { app: "gw" },
      servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
    }),
  ];
}

/**
 * The objects of a generation. `gen-N` shows in a resource of every type: in the subset of a cluster, in the locality of
 * endpoints, in the name of a route, and in both policies of inbound listeners.
 */
export function generationObjects(generation: number): readonly WrittenObject[] {
  const mark = `gen-${generation}`;
  const host = "counter.shop.svc.cluster.local";
  const principal = (word: string) => [{ source: { principals: [`cluster.local/ns/shop/sa/${word}-${mark}`] } }];
  return [
    service("counter", [{ address: "10.1.0.3", locality: `${mark}/zone`, labels: { version: mark } }]),
    networking("DestinationRule", "counter", { host, subsets: [{ name: mark, labels: { version: mark } }] }),
    networking("VirtualService", "counter", {
      hosts: [host],
      gateways: ["mesh", "public"],
      http: [{ name: mark, route: [{ destination: { host, subset: mark } }] }],
    }),
    security("deny", { action: "DENY", rules: [{ from: principal("deny") }] }),
    security("allow", { action: "ALLOW", rules: [{ from: principal("allow") }] }),
  ];
}

/** Objects as one YAML text. JSON is YAML as well. */
export function yamlOf(objects: readonly WrittenObject[]): string {
  return objects.map((object) => `${JSON.stringify(object)}\n`).join("---\n");
}
