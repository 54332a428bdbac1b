const networking = "networking.istio.io/v1";

/** The kinds that the bench measures. `items`: endpoints, routes, subsets, rules or servers of one object. */
export const sizedObjects = {
  ServiceEntry: (index: number, items: number) =>
    object(networking, "ServiceEntry", index, {
      hosts: [host(index)],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "STATIC",
      endpoints: list(items, (item) => ({ address: `10.${index >> 8}.${index % 256}.${item}`, labels: { app: "a" } })),
    }),
  VirtualService: (index: number, items: number) =>
    object(networking, "VirtualService", index, {
      hosts: [host(index)],
      http: list(items, (item) => ({
        match: [{ uri: { prefix: `/api/${item}` } }],
        route: [{ destination: { host: host(index) } }],
      })),
    }),
  DestinationRule: (index: number, items: number) =>
    object(networking, "DestinationRule", index, {
      host: host(index),
      subsets: list(items, (item) => ({ name: `v${item}`, labels: { version: `v${item}` } })),
    }),
  AuthorizationPolicy: (index: number, items: number) =>
    object("security.istio.io/v1", "AuthorizationPolicy", index, {
      selector: { matchLabels: { app: `service-${index}` } },
      rules: list(items, (item) => ({ from: [{ source: { principals: [`cluster.local/ns/shop/sa/a-${item}`] } }] })),
    }),
} as const;

export type SizedKind = keyof typeof sizedObjects;
export const sizedKinds = Object.keys(sizedObjects) as readonly SizedKind[];

function object(apiVersion: string, kind: string, index: number, spec: object): string {
  const metadata = { name: `service-${index}`, namespace: `namespace-${index % 50}` };
  return JSON.stringify({ apiVersion, kind, metadata, spec });
}

function host(index: number): string {
  return `service-${index}.example.com`;
}

function list<T>(length: number, item: (index: number) => T): readonly T[] {
  return Array.from({ length }, (_, index) => item(index));
}
