import { Random } from "../src/testing/random/random.ts";

/** One object of each kind, for a service with this number. The mix is that of a mesh. */
const kinds: readonly { readonly share: number; readonly object: (index: number, random: Random) => object }[] = [
  { share: 40, object: serviceEntry },
  { share: 20, object: virtualService },
  { share: 20, object: destinationRule },
  { share: 10, object: kubernetesService },
  { share: 10, object: kubernetesEndpoints },
];

/** `count` objects as YAML texts. The same seed gives the same texts. */
export function* meshObjects(count: number, seed: number): Generator<string> {
  const random = new Random(seed);
  for (let index = 0; index < count; index += 1) {
    let rest = index % 100;
    const kind = kinds.find(({ share }) => (rest -= share) < 0);
    yield JSON.stringify(kind?.object(index, random));
  }
}

function metadata(index: number): object {
  return { name: `service-${index}`, namespace: `namespace-${index % 50}`, labels: { app: `service-${index}` } };
}

/** The host of the {@link serviceEntry} with this number. */
function host(index: number): string {
  return `service-${index}.example.com`;
}

export function serviceEntry(index: number, random: Random): object {
  const endpoints = Array.from({ length: 3 }, () => ({ address: `10.${random.below(256)}.${random.below(256)}.1` }));
  const spec = {
    hosts: [host(index)],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints,
  };
  return { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata: metadata(index), spec };
}

function virtualService(index: number, random: Random): object {
  const weight = random.below(101);
  const route = [
    { destination: { host: host(index), subset: "v1" }, weight },
    { destination: { host: host(index), subset: "v2" }, weight: 100 - weight },
  ];
  const spec = { hosts: [host(index)], http: [{ match: [{ uri: { prefix: "/api" } }], route }, { route }] };
  return { apiVersion: "networking.istio.io/v1", kind: "VirtualService", metadata: metadata(index), spec };
}

function destinationRule(index: number, random: Random): object {
  const subsets = ["v1", "v2"].map((version) => ({ name: version, labels: { version } }));
  const trafficPolicy = { connectionPool: { tcp: { maxConnections: 1 + random.below(100) } } };
  const spec = { host: host(index), subsets, trafficPolicy };
  return { apiVersion: "networking.istio.io/v1", kind: "DestinationRule", metadata: metadata(index), spec };
}

/** The endpoints of a Kubernetes service follow ten numbers later, see the shares. */
function kubernetesService(index: number, random: Random): object {
  const spec = {
    clusterIP: `10.200.${random.below(256)}.${random.below(256)}`,
    selector: { app: `service-${index}` },
    ports: [{ name: "http", port: 80, targetPort: 8080 }],
  };
  return { apiVersion: "v1", kind: "Service", metadata: metadata(index), spec };
}

function kubernetesEndpoints(index: number, random: Random): object {
  const addresses = Array.from({ length: 3 }, () => ({ ip: `10.${random.below(256)}.${random.below(256)}.2` }));
  const subsets = [{ addresses, ports: [{ name: "http", port: 8080 }] }];
  return { apiVersion: "v1", kind: "Endpoints", metadata: metadata(index - 10), subsets };
}
