import fc from "fast-check";
import { exportTo, host, istio, portNumber } from "./interacting-values.ts";

const protocol = fc.constantFrom("HTTP", "HTTP", "GRPC", "TCP", "TLS", "");
const ports = fc.uniqueArray(
  fc
    .record({ number: portNumber, spoken: protocol, targetPort: fc.constantFrom(8080, 9000, 82) })
    .map(({ number, spoken, targetPort }) => ({
      number,
      name: `p${number}`,
      // One port for connections, so that their routes find it.
      protocol: number === 82 ? "TCP" : spoken,
      targetPort,
    })),
  { minLength: 1, maxLength: 2, selector: ({ number }) => number },
);
const endpoint = fc.record({
  address: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.9", "10.0.7.1"),
  labels: fc.constantFrom({ version: "v1", "security.istio.io/tlsMode": "istio" }, { version: "v2" }),
  locality: fc.constantFrom("", "", "eu/a", "us/c"),
  network: fc.constantFrom("", "", "", "north"),
  serviceAccount: fc.constantFrom("", "", "one"),
});

/** A service of one host: changes of its owner, its visibility, its ports and its resolution, one at a time. */
export const service = istio(
  "ServiceEntry",
  fc.constantFrom("one", "two"),
  fc.record({
    hosts: host.map((each) => [each]),
    ports,
    addresses: fc.constantFrom<readonly string[]>([], ["10.9.0.1"], ["10.9.0.2", "fd00:9::1"]),
    resolution: fc.constantFrom("STATIC", "STATIC", "DNS", "NONE"),
    location: fc.constantFrom("MESH_INTERNAL", "MESH_INTERNAL", "MESH_EXTERNAL"),
    exportTo,
    endpoints: fc.array(endpoint, { maxLength: 2 }),
  }),
);

/** A service whose workloads stand for themselves. */
export const selectingService = service.chain((object) =>
  fc.constantFrom("x", "y").map((app) => {
    const { endpoints: _, ...spec } = object.spec as { readonly endpoints: unknown };
    return { ...object, spec: { ...spec, workloadSelector: { labels: { app } } } };
  }),
);
export const workload = istio(
  "WorkloadEntry",
  fc.constantFrom("one", "two"),
  fc.record({
    address: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.7.1", "fd00::1"),
    labels: fc.record({ app: fc.constantFrom("x", "x", "y"), version: fc.constantFrom("v1", "v2") }),
    ports: fc.constantFrom<object>({}, {}, { p80: 7000 }, { "http-80": 7001 }),
    network: fc.constantFrom("", "", "north"),
    serviceAccount: fc.constantFrom("", "one", "one"),
  }),
);
