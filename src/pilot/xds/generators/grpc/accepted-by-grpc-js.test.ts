import { fromBinary } from "@bufbuild/protobuf";
import { register } from "@grpc/grpc-js-xds";
import { ClusterResourceType } from "@grpc/grpc-js-xds/build/src/xds-resource-type/cluster-resource-type.js";
import { EndpointResourceType } from "@grpc/grpc-js-xds/build/src/xds-resource-type/endpoint-resource-type.js";
import { ListenerResourceType } from "@grpc/grpc-js-xds/build/src/xds-resource-type/listener-resource-type.js";
import { RouteConfigurationResourceType } from "@grpc/grpc-js-xds/build/src/xds-resource-type/route-config-resource-type.js";
import type { XdsDecodeContext } from "@grpc/grpc-js-xds/build/src/xds-resource-type/xds-resource-type.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { fakeEndpoint, fakeService } from "../../../../testing/model/fake-service.ts";
import { proxyWithName } from "../../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeCorsPolicy, fakeVirtualService, mirrorTo } from "../../../../testing/model/traffic.ts";
import { runs, seed } from "../../../../testing/random/seed.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Resource } from "../../../model/resource.ts";
import type { Endpoint, Service } from "../../../model/service/service.ts";
import type { HttpAction, HttpMatch, HttpRoute, StringMatch } from "../../../model/traffic/virtual-service.ts";
import { createGenerators } from "../../generators.ts";

/**
 * grpc-js rejects whole resources where other clients overlook what they do not know, so that what it accepts is a
 * measure for all. These are the very checks that it makes on what arrives.
 */
register();
const judges = [
  ClusterResourceType.get(),
  EndpointResourceType.get(),
  ListenerResourceType.get(),
  RouteConfigurationResourceType.get(),
];
const context = { bootstrap: { certificateProviders: {} } } as unknown as XdsDecodeContext;

/** The reason why grpc-js rejects a resource. */
function objection({ entry }: Resource): string | undefined {
  const [any] = fromBinary(DiscoveryResponseSchema, entry).resources;
  const judge = judges.find((each) => any?.typeUrl.endsWith(each.getTypeUrl()));
  if (any === undefined || judge === undefined) return "it is of no type that gRPC knows";
  return judge.decode(context, { type_url: any.typeUrl, value: Buffer.from(any.value) }).error;
}

const text = fc.constantFrom("", "/", "a", "cart.shop", "POST", "yes");
const stringMatch: fc.Arbitrary<StringMatch> = fc.oneof(
  fc.record({ type: fc.constantFrom("exact", "prefix", "regex"), value: text }) as fc.Arbitrary<StringMatch>,
  fc.constant<StringMatch>({ type: "present" }),
);
const named = fc.array(fc.record({ name: fc.constantFrom("X-A", "x-b"), match: stringMatch }), { maxLength: 2 });
const match: fc.Arbitrary<HttpMatch> = fc.record({
  port: fc.constantFrom(0, 80),
  gateways: fc.constantFrom([], ["mesh"]),
  sourceLabels: fc.constant({}),
  sourceNamespace: fc.constant(""),
  name: text,
  statPrefix: text,
  uri: stringMatch,
  ignoreUriCase: fc.boolean(),
  method: fc.option(stringMatch, { nil: undefined }),
  authority: fc.option(stringMatch, { nil: undefined }),
  scheme: fc.option(stringMatch, { nil: undefined }),
  headers: named,
  withoutHeaders: named,
  queryParams: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, named),
});

const headers = { request: { set: [], add: [], remove: [] }, response: { set: [], add: [], remove: [] } };
const duration = fc.option(fc.record({ seconds: fc.constantFrom(0n, 1n), nanos: fc.constantFrom(0, 1, 999_999_999) }), {
  nil: undefined,
});
const destination = fc.record({
  hostname: fc.constantFrom("cart.shop", "nobody.shop"),
  subset: fc.constantFrom("", "v1"),
  port: fc.constantFrom(undefined, 80),
  weight: fc.nat(100),
  headers: fc.constant(headers),
});
const fraction = fc.record({ numerator: fc.nat(100), denominator: fc.constantFrom(100 as const, 1_000_000 as const) });
const fault = fc.record({
  delay: fc.option(fc.record({ duration: fc.constant({ seconds: 1n, nanos: 1 }), fraction }), { nil: undefined }),
  abort: fc.option(
    fc.record({
      status: fc.record({ type: fc.constantFrom("http" as const, "grpc" as const), code: fc.constantFrom(0, 14, 503) }),
      fraction,
    }),
    { nil: undefined },
  ),
});
const retries = fc.record({
  attempts: fc.integer({ min: -1, max: 9 }),
  perTryTimeout: duration,
  retryOn: fc.constantFrom("", "5xx", "unavailable, internal", "503,cancelled"),
  remoteLocalities: fc.boolean(),
  ignorePreviousHosts: fc.boolean(),
  backoff: duration,
});
const action: fc.Arbitrary<HttpAction> = fc.oneof(
  fc.record({
    type: fc.constant("forward" as const),
    destinations: fc.array(destination, { minLength: 1, maxLength: 3 }),
    mirrors: fc.constantFrom([], [mirrorTo("cart.shop")]),
    rewrite: fc.constant({ path: { type: "prefix" as const, value: "/" }, authority: "other" }),
    timeout: duration,
    retries: fc.option(retries, { nil: undefined }),
  }),
  fc.constant<HttpAction>({ type: "direct-response", status: 200, body: "no" }),
  fc.constant<HttpAction>({
    type: "redirect",
    authority: "",
    path: { type: "prefix", value: "/" },
    scheme: "",
    port: 80,
    code: 302,
  }),
);
const route: fc.Arbitrary<HttpRoute> = fc.record({
  name: text,
  matches: fc.array(match, { maxLength: 2 }),
  headers: fc.constant(headers),
  fault: fc.option(fault, { nil: undefined }),
  cors: fc.constantFrom(undefined, fakeCorsPolicy({ methods: ["GET"] })),
  action,
});
const service: fc.Arbitrary<Service> = fc
  .record({
    resolution: fc.constantFrom("static", "dns", "passthrough", "dns-round-robin"),
    addresses: fc.constantFrom([], ["10.1.0.1"], ["fd00::1", "10.2.0.0/16"]),
  })
  .map((changes) => fakeService(changes));
const endpoint: fc.Arbitrary<Endpoint> = fc
  .record({
    address: fc.constantFrom("10.0.0.1", "10.0.0.2", "fd00::2", "unix:///run/cart", "cart.example.com"),
    port: fc.constantFrom(80, 8080),
    locality: fc.constantFrom("", "eu/a/1"),
    weight: fc.constantFrom(0, 1, 0xff_ff_ff_ff),
  })
  .map((changes) => fakeEndpoint(changes));

/** All resources of a proxy. */
function resourcesFor(proxy: Proxy, push: PushContext): readonly Resource[] {
  const families = createGenerators({ writer: new ProtoWriter() }).flatMap((generator) => generator.families);
  return families.flatMap((family) =>
    family.parts(proxy, push, "all").flatMap((inputs) => family.generate({ inputs, push }).resources),
  );
}

const node = "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local";

test("grpc-js accepts all resources for proxyless clients", () => {
  const client = proxyWithName(node, { GENERATOR: "grpc" });
  fc.assert(
    fc.property(
      service,
      fc.array(endpoint),
      fc.array(route, { minLength: 1, maxLength: 3 }),
      (cart, endpoints, http) => {
        const push = pushOf({
          services: [cart],
          endpoints: [{ hostname: cart.hostname, namespace: cart.namespace, endpoints, owners: [] }],
          virtualServices: [fakeVirtualService({ hosts: [cart.hostname], gateways: ["mesh"], http })],
        });
        const resources = resourcesFor(client, push);
        expect(resources.length).toBeGreaterThan(2);
        expect(resources.map(objection).filter((reason) => reason !== undefined)).toEqual([]);
      },
    ),
    { seed, numRuns: runs(100) },
  );
});

test("grpc-js rejects resources for an Envoy", () => {
  const objections = resourcesFor(proxyWithName(node), pushOf({ services: [fakeService()] })).map(objection);
  expect(objections.join()).toContain("unsupported lb_policy");
});
