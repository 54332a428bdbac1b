import fc from "fast-check";
import { expect, test } from "vitest";
import { type ConfigId, configId } from "../../../../config/config.ts";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { proxyWithName } from "../../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeEndpoint, fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeRule, fakeVirtualService, forwardTo } from "../../../../testing/model/traffic.ts";
import { fakeSidecar } from "../../../../testing/model/workload.ts";
import { runs, seed } from "../../../../testing/random/seed.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Sidecar } from "../../../model/scope/sidecar.ts";
import type { Service, ServiceEndpoints } from "../../../model/service/service.ts";
import type { DestinationRule } from "../../../model/traffic/destination-rule.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";
import { Catalogue } from "../../catalogue.ts";
import { createGenerators } from "../../generators.ts";

interface World {
  readonly services: readonly Service[];
  readonly endpoints: readonly ServiceEndpoints[];
  readonly virtualServices: readonly VirtualService[];
  readonly rules: readonly DestinationRule[];
  readonly sidecars: readonly Sidecar[];
}

const kinds = ["services", "endpoints", "virtualServices", "rules", "sidecars"] as const;

/** Also the workload that serves the cart. */
const client = proxyWithName("sidecar~10.0.0.1~cart-0.shop~shop.svc.cluster.local", { GENERATOR: "grpc" });
const hostnames = ["cart.shop", "pay.shop"] as const;
const clusters = ["outbound|80||cart.shop", "outbound|80|v1|cart.shop", "outbound|80||pay.shop"];
const asked: Readonly<Record<string, ReadonlySet<string>>> = {
  CDS: new Set(clusters),
  EDS: new Set(clusters),
  LDS: new Set(["cart.shop:80", "pay.shop", "xds.istio.io/grpc/lds/inbound/0.0.0.0:8080"]),
  RDS: new Set(["outbound|80||cart.shop", "outbound|80||pay.shop"]),
};

const hostname = fc.constantFrom(...hostnames);
const services = fc.uniqueArray(
  fc
    .record({
      hostname,
      number: fc.constantFrom(80, 80, 81),
      resolution: fc.constantFrom("static", "dns"),
      addresses: fc.constantFrom([], ["10.1.0.1"]),
    })
    .map(({ number, ...changes }) => {
      return fakeService({ ...changes, ports: [{ number, name: "http", protocol: "GRPC", targetPort: number }] });
    }),
  { selector: (service) => service.hostname },
);
const endpoints = fc.uniqueArray(
  fc.record({ hostname, port: fc.constantFrom(8080, 8081), version: fc.constantFrom("v1", "v2") }).map((drawn) => {
    const { port, version } = drawn;
    const served = [fakeEndpoint({ address: "10.0.0.1", port, labels: { version } })];
    return { hostname: drawn.hostname, namespace: "shop", endpoints: served, owners: [] };
  }),
  { selector: (each) => each.hostname },
);
const virtualServices = fc.uniqueArray(
  fc
    .record({ name: fc.constantFrom("u", "v"), host: fc.constantFrom("cart.shop", "*.shop"), to: hostname })
    .map(({ name, host, to }) => {
      return fakeVirtualService({ name, hosts: [host], gateways: ["mesh"], http: [forwardTo(to)] });
    }),
  { selector: ({ name }) => name },
);
const rules = fc.constantFrom("v1", "v2").map((version) => {
  return [fakeRule({ subsets: [{ name: "v1", labels: { version }, trafficPolicy: undefined }] })];
});
const sidecars = fc.option(hostname, { nil: undefined }).map((only) => {
  if (only === undefined) return [];
  const hosts = [{ namespace: "*", hostname: only, excluded: false }];
  return [fakeSidecar({ egress: [{ port: undefined, bind: "", captureMode: "default", hosts }] })];
});
const world: fc.Arbitrary<World> = fc.record({ services, endpoints, virtualServices, rules, sidecars });

/** The ids that a commit reports for the change from one world to another. */
function changesBetween(before: World, after: World): ReadonlySet<ConfigId> {
  const [was, is] = [objectsOf(before), objectsOf(after)];
  return new Set([...was.keys(), ...is.keys()].filter((id) => !isSame(was.get(id) ?? [], is.get(id) ?? [])));
}

function isSame(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

/** The objects behind each id. Endpoints that clients resolve by DNS are part of their service as well. */
function objectsOf(each: World): ReadonlyMap<ConfigId, readonly object[]> {
  const objects = new Map<ConfigId, readonly object[]>();
  for (const one of each.services) {
    const own = one.resolution === "dns" ? each.endpoints.filter(({ hostname: host }) => host === one.hostname) : [];
    objects.set(configId("Service", "shop", one.hostname), [one, ...own]);
  }
  for (const one of each.endpoints) objects.set(configId("Endpoints", "shop", one.hostname), [one]);
  if (each.endpoints.length > 0) objects.set(configId("Instance", "", "10.0.0.1"), each.endpoints);
  for (const one of each.virtualServices) objects.set(one.owner, [one]);
  for (const one of each.rules) objects.set(configId("DestinationRule", "shop", one.name), [one]);
  for (const one of each.sidecars) objects.set(one.owner, [one]);
  return objects;
}

const generators = createGenerators({ writer: new ProtoWriter() });

function catalogueOf(push: PushContext): Catalogue {
  return new Catalogue(generators, push, ({ cause }) => {
    throw cause;
  });
}

/** The versions of what the client holds of each type. */
function heldFrom(catalogue: Catalogue): unknown {
  return generators.map((generator) => {
    const { target } = catalogue.lease(generator, client, asked[generator.shortName] ?? "all");
    return [generator.shortName, target?.map((set) => set.version)];
  });
}

test("an incremental update equals a build from scratch", async () => {
  await fc.assert(
    fc.asyncProperty(
      world,
      world,
      fc.uniqueArray(fc.constantFrom(...kinds), { minLength: 1, maxLength: 2 }),
      async (before, other, touched) => {
        const after = touched.reduce<World>((each, kind) => ({ ...each, [kind]: other[kind] }), before);
        const push = pushOf(after);
        const catalogue = catalogueOf(pushOf(before));
        heldFrom(catalogue);
        const request = { changed: changesBetween(before, after), forced: false, reasons: new Map(), startedAt: 0 };
        await catalogue.advance(push, request, () => Promise.resolve());
        expect(heldFrom(catalogue)).toEqual(heldFrom(catalogueOf(push)));
      },
    ),
    { seed, numRuns: runs(100) },
  );
});
