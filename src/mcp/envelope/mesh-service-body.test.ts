import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceSchema } from "#gen/binnacle/mesh/v1/service_pb.js";
import type { MeshEndpoint, MeshPort, MeshService, ServiceAccess } from "../../config/mesh/mesh-service.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { meshServiceBody } from "./mesh-service-body.ts";

const text = fc.string({ maxLength: 6 });
const texts = fc.array(text, { maxLength: 3 });
const key = fc.stringMatching(/^[a-z]{1,4}$/);
const labels = fc.dictionary(key, text, { maxKeys: 3, noNullPrototype: true });
const port = fc.integer({ min: 0, max: 65_535 });

const access: fc.Arbitrary<ServiceAccess> = fc.oneof(
  fc.record({ type: fc.constant("virtual" as const), addresses: texts }),
  fc.constant({ type: "headless" as const }),
  fc.record({ type: fc.constant("alias" as const), externalName: text }),
);
const meshPort: fc.Arbitrary<MeshPort> = fc.record({
  name: text,
  number: port,
  protocol: text,
  targetPort: fc.oneof(port, text),
  nodePort: port,
});
const endpoint: fc.Arbitrary<MeshEndpoint> = fc.record({
  address: text,
  ports: fc.dictionary(key, port, { maxKeys: 3, noNullPrototype: true }),
  health: fc.constantFrom("healthy", "unhealthy", "draining", "terminating"),
  labels,
  locality: fc.record({ region: text, zone: text, subzone: text }),
  node: text,
  network: text,
  weight: fc.nat(),
  serviceAccount: fc.option(text, { nil: undefined }),
  namespace: text,
  workloadName: text,
  workloadKind: text,
  hostname: text,
  subdomain: text,
});
const service: fc.Arbitrary<MeshService> = fc.record({
  hostname: text,
  access,
  ports: fc.array(meshPort, { maxLength: 3 }),
  externalAddresses: texts,
  exportTo: texts,
  selector: labels,
  nodeLocal: fc.boolean(),
  trafficDistribution: text,
  publishNotReadyAddresses: fc.boolean(),
  endpoints: fc.option(fc.array(endpoint, { maxLength: 3 }), { nil: undefined }),
});

const carried = (spec: MeshService) => {
  const any = fromBinary(AnySchema, meshServiceBody.encode(spec));
  expect(any.typeUrl).toBe("type.googleapis.com/binnacle.mesh.v1.Service");
  return meshServiceBody.decode(any.value);
};

test("a service comes back unchanged", () => {
  fc.assert(
    fc.property(service, (spec) => {
      expect(carried(spec)).toStrictEqual(structuredClone(spec));
    }),
    { seed, numRuns: runs(300) },
  );
});

test("an absent endpoint list is not an empty list", () => {
  const [sample] = fc.sample(service, { seed, numRuns: 1 });
  if (sample === undefined) throw new Error("there is a sample");
  expect(carried({ ...sample, endpoints: undefined })).toHaveProperty("endpoints", undefined);
  expect(carried({ ...sample, endpoints: [] })).toHaveProperty("endpoints", []);
});

test("a port without a target has the target 0, and an endpoint with an unknown health is unhealthy", () => {
  const access = { case: "headless" as const, value: {} };
  const message = create(ServiceSchema, { access, ports: [{ name: "http" }] });
  // endpoints 12 with one entry of list 1, whose health 3 is 99.
  const endpoints = Uint8Array.of(12 * 8 + 2, 4, 1 * 8 + 2, 2, 3 * 8, 99);
  const bytes = Buffer.concat([toBinary(ServiceSchema, message), endpoints]);
  expect(meshServiceBody.decode(bytes)).toMatchObject({
    ports: [{ targetPort: 0 }],
    endpoints: [{ health: "unhealthy" }],
  });
});

test("a service without an access type is refused", () => {
  expect(() => meshServiceBody.decode(new Uint8Array())).toThrow("the access type of a service is missing");
});

test.each([
  ["a message", { $typeName: "istio.networking.v1alpha3.Gateway", hostname: "a", access: {} }],
  ["nothing", null],
  ["an object without a hostname", { access: { type: "headless" } }],
  ["an object without an access", { hostname: "a" }],
])("%s is not a service", (_, spec) => {
  expect(meshServiceBody.fits(spec)).toBe(false);
});
