/**
 * The mesh whose figures for istiod are known: 1 000 services of two endpoints each. Of these, 200 have a
 * VirtualService and a DestinationRule of two subsets. Sidecar 7 of a fleet is an endpoint of service 7.
 */
const services = 1000;
const ruled = 200;

/** The values that an edit changes. Everything else is the same in every mesh of this kind. */
export interface W1Edit {
  /** The weight in the first VirtualService. */
  readonly weight: number;
  /** The limit in the first DestinationRule. */
  readonly maxConnections: number;
  /** True if the first service has a third endpoint. */
  readonly thirdEndpoint: boolean;
  /** True if there is one more service. */
  readonly anotherService: boolean;
}

export const unedited: W1Edit = { weight: 90, maxConnections: 100, thirdEndpoint: false, anotherService: false };

/** The mesh by files. Edited objects have their own file, so that reading it again costs little. */
export function w1Files(edit: W1Edit): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: services }, (_, index) => index);
  const [first = 0, ...rest] = numbers.slice(0, ruled);
  return {
    "services.yaml": documents(numbers.slice(1).map((index) => service(index, 2))),
    "rules.yaml": documents(rest.flatMap((index) => [virtualService(index, 90), destinationRule(index, 100)])),
    "service.yaml": documents([service(first, edit.thirdEndpoint ? 3 : 2)]),
    "route.yaml": documents([virtualService(first, edit.weight)]),
    "rule.yaml": documents([destinationRule(first, edit.maxConnections)]),
    "another.yaml": documents(edit.anotherService ? [service(services, 2)] : []),
  };
}

/** The same objects, one by one. */
export function w1Objects(edit: W1Edit): readonly W1Object[] {
  return Object.values(w1Files(edit)).flatMap((text) =>
    text === "" ? [] : text.split("\n---\n").map((document) => JSON.parse(document) as W1Object),
  );
}

export const w1Namespaces: readonly string[] = Array.from({ length: 10 }, (_, index) => namespaceOf(index));

function namespaceOf(index: number): string {
  return `ns-${index % 10}`;
}

function hostOf(index: number): string {
  return `service-${index}.${namespaceOf(index)}.svc.cluster.local`;
}

function service(index: number, endpoints: number): object {
  const addressOf = (endpoint: number) => `10.${240 + endpoint * 4}.${index >> 8}.${index & 255}`;
  return objectOf("ServiceEntry", index, {
    hosts: [hostOf(index)],
    addresses: [`10.96.${index >> 8}.${index & 255}`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: Array.from({ length: endpoints }, (_, endpoint) => ({
      address: addressOf(endpoint),
      labels: { version: endpoint === 0 ? "v1" : "v2" },
    })),
  });
}

function virtualService(index: number, weight: number): object {
  const to = (subset: string) => ({ host: hostOf(index), subset });
  const route = [
    { destination: to("v1"), weight },
    { destination: to("v2"), weight: 100 - weight },
  ];
  return objectOf("VirtualService", index, { hosts: [hostOf(index)], http: [{ route }] });
}

function destinationRule(index: number, maxConnections: number): object {
  const subsets = ["v1", "v2"].map((version) => ({ name: version, labels: { version } }));
  const trafficPolicy = { connectionPool: { tcp: { maxConnections } } };
  return objectOf("DestinationRule", index, { host: hostOf(index), subsets, trafficPolicy });
}

export interface W1Object {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: object;
}

function objectOf(kind: string, index: number, spec: object): W1Object {
  const metadata = { name: `service-${index}`, namespace: namespaceOf(index) };
  return { apiVersion: "networking.istio.io/v1", kind, metadata, spec };
}

function documents(objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join("\n---\n");
}
