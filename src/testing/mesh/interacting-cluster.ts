import fc from "fast-check";
import type { WrittenObject } from "./written-objects.ts";

const prefixes = ["http", "grpc", "tcp"];
const numbers = [80, 81, 82];
const portNames = numbers.flatMap((number) => prefixes.map((prefix) => `${prefix}-${number}`));
const namespace = fc.constantFrom("a", "a", "a", "b");
const serviceName = fc.constantFrom("one", "two", "three");
const podName = fc.constantFrom("p", "q");
const address = fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.5");

const servicePort = fc
  .record({
    port: fc.constantFrom(80, 80, 80, 81, 82),
    targetPort: fc.constantFrom<number | string>(8080, 9000, "http-80"),
    prefix: fc.constantFrom(...prefixes),
  })
  .map(({ prefix, ...port }) => ({ ...port, name: `${prefix}-${port.port}` }));

const clusterIPs = fc.constantFrom<object>(
  { clusterIP: "10.9.1.1" },
  { clusterIP: "10.9.1.2", clusterIPs: ["10.9.1.2", "fd00:9::2"] },
  { clusterIP: "None" },
);

/** A Service that is visible to some, and selects pods and WorkloadEntries alike. */
export const kubernetesService: fc.Arbitrary<WrittenObject> = fc
  .record({
    metadata: fc.record({ name: serviceName, namespace }),
    exported: fc.constantFrom("", "", "*", ".", "a", "b"),
    ips: clusterIPs,
    selector: fc.constantFrom({ app: "x" }, { app: "x" }, { app: "y" }),
    ports: fc.uniqueArray(servicePort, { minLength: 1, maxLength: 2, selector: ({ port }) => port }),
    preference: fc.constantFrom<object>(
      {},
      {},
      {},
      { trafficDistribution: "PreferClose" },
      { trafficDistribution: "PreferSameNode" },
      { internalTrafficPolicy: "Local" },
    ),
  })
  .map(({ metadata, exported, ips, preference, ...spec }) => {
    const annotations = exported === "" ? {} : { "networking.istio.io/exportTo": exported };
    return {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...metadata, annotations },
      spec: { ...ips, ...spec, ...preference },
    };
  });

/** A Service whose pods are called one by one, and for connections: listeners follow its endpoints. */
export const headlessService: WrittenObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "pods", namespace: "a" },
  spec: { clusterIP: "None", selector: { app: "x" }, ports: [{ name: "tcp-82", port: 82, targetPort: 8080 }] },
};

/** Most are of no pod: an endpoint whose pod is missing is not listed. */
const sliceEndpoint = fc.record({
  address,
  pod: fc.option(podName, { freq: 1 }),
  ready: fc.nat(4).map((chance) => chance > 0),
});

/** The endpoints of one of the Services, some of them of pods that are there. */
export const slice: fc.Arbitrary<WrittenObject> = fc
  .record({
    service: serviceName,
    namespace,
    endpoints: fc.uniqueArray(sliceEndpoint, { maxLength: 2, selector: (each) => each.address }),
  })
  .map(({ service, namespace: where, endpoints }) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${service}-1`, namespace: where, labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    ports: portNames.map((name) => ({ name, port: 8080 })),
    endpoints: endpoints.map((each) => ({
      addresses: [each.address],
      conditions: { ready: each.ready },
      ...(each.pod !== null && { targetRef: { kind: "Pod", name: each.pod, namespace: where } }),
    })),
  }));

/** Its endpoints, which change alone. */
export const headlessSlice: fc.Arbitrary<WrittenObject> = fc
  .subarray(["10.0.0.5", "10.0.7.1", "10.0.7.2"], { minLength: 1 })
  .map((addresses) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "pods-1", namespace: "a", labels: { "kubernetes.io/service-name": "pods" } },
    addressType: "IPv4",
    ports: [{ name: "tcp-82", port: 8080 }],
    endpoints: addresses.map((each) => ({ addresses: [each], conditions: { ready: true } })),
  }));

/** A pod that endpoints refer to: its labels, account, machine and network become theirs. */
export const pod: fc.Arbitrary<WrittenObject> = fc
  .record({
    name: podName,
    namespace,
    labels: fc.record(
      {
        app: fc.constantFrom("x", "y"),
        version: fc.constantFrom("v1", "v2"),
        "security.istio.io/tlsMode": fc.constant("istio"),
        "topology.istio.io/network": fc.constantFrom("north", "south"),
      },
      { requiredKeys: ["app"] },
    ),
    spec: fc.record({ nodeName: fc.constantFrom("m", "n"), serviceAccountName: fc.constantFrom("x", "y") }),
    status: fc.record({ phase: fc.constantFrom("Running", "Running", "Failed"), podIP: address }),
  })
  .map(({ spec, status, ...metadata }) => ({ apiVersion: "v1", kind: "Pod", metadata, spec, status }));

/** The machine of some pods, which says where they are. */
export const machine: fc.Arbitrary<WrittenObject> = fc
  .record({ name: fc.constantFrom("m", "n"), region: fc.constantFrom("eu", "us") })
  .map(({ name, region }) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "topology.kubernetes.io/region": region } },
  }));

export const namespaceObject: fc.Arbitrary<WrittenObject> = fc
  .record({ name: fc.constantFrom("a", "b"), network: fc.constantFrom("north", "south") })
  .map(({ name, network }) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "topology.istio.io/network": network } },
  }));
