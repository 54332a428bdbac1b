import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { AnySchema, anyUnpack } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { type ConfigId, configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { pushOf, viewOf } from "../../../testing/model/push.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { fakeRule, fakeVirtualService, forwardTo } from "../../../testing/model/traffic.ts";
import { fakeBalancer, fakePolicy } from "../../../testing/model/fake-traffic-policy.ts";
import { fakeSidecar } from "../../../testing/model/workload.ts";
import { runs, seed } from "../../../testing/random/seed.ts";
import { ResourceSet } from "../../../xds/resources/resource-set.ts";
import { defaultMeshSettings, MESH_KEY } from "../../model/mesh-settings.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { capturePush, type MeshViews, type PushContext } from "../../model/push-context.ts";
import type { Resource } from "../../model/resource.ts";
import type { Sidecar } from "../../model/scope/sidecar.ts";
import type { Protocol, Service } from "../../model/service/service.ts";
import type { DestinationRule } from "../../model/traffic/destination-rule.ts";
import type { VirtualService } from "../../model/traffic/virtual-service.ts";
import type { PartFamily, PartInputs } from "../generator.ts";
import { outboundListeners } from "./outbound-listeners.ts";
import { sidecarRoutes } from "./sidecar-routes.ts";
import { partId } from "../generator.ts";

const proxy = proxyWithName("sidecar~10.0.0.1~web-0.web~web.svc.cluster.local", {
  CLUSTER_ID: "c1",
  LABELS: { app: "web" },
  SDS_MODE: "none",
});

interface World {
  readonly services?: readonly Service[];
  readonly rules?: readonly DestinationRule[];
  readonly virtualServices?: readonly VirtualService[];
  readonly sidecars?: readonly Sidecar[];
}

/** Of one mesh: its settings are the same object in all of them. */
const mesh = viewOf([[MESH_KEY, { ...defaultMeshSettings, httpProxyPort: 15_002 }]]);

function pushFor(world: World): PushContext {
  const views: Omit<MeshViews, "mesh"> = pushOf(world);
  return capturePush({ ...views, mesh }, 1);
}

function partOf(push: PushContext, changes: Partial<Proxy> = {}) {
  const [part] = sidecarRoutes(new ProtoWriter()).parts({ ...proxy, ...changes }, push, "all");
  if (part === undefined) throw new Error("a sidecar has a part");
  return part;
}

function service(hostname: string, ...ports: readonly [number, Protocol][]): Service {
  return fakeService({
    hostname,
    ports: ports.map(([number, protocol]) => ({ number, name: `p${number}`, protocol, targetPort: number })),
    owner: configId("ServiceEntry", "shop", hostname),
  });
}

function virtual(name: string, hosts: readonly string[], to: string, port?: number): VirtualService {
  return fakeVirtualService({ name, hosts, gateways: ["mesh"], http: [forwardTo(to, port)] });
}

function hashing(host: string): DestinationRule {
  const consistentHash = { key: { type: "source-ip" }, algorithm: "ring-hash", size: 1024 } as const;
  return fakeRule({ host, trafficPolicy: fakePolicy({ loadBalancer: fakeBalancer({ consistentHash }) }) });
}

const cart = service("cart.shop", [80, "HTTP"], [90, "HTTP"]);
const pay = service("pay.shop", [80, "HTTP"], [91, "HTTP"]);
const db = service("db.shop", [92, "auto"]);
const world = { services: [cart, pay, db], virtualServices: [virtual("pay", ["pay.shop"], "cart.shop", 80)] };

describe("routes of sidecars", () => {
  test("are shared by all workloads of a namespace with equal labels for routes", () => {
    const push = pushFor(world);
    const id = (changes: Partial<Proxy>) => partId(partOf(push, changes));
    const other = { labels: { app: "other" }, ipAddresses: ["10.0.0.2"], id: "other-0.web" };
    expect(id(other)).toBe(id({}));
    expect(id({ interception: "tproxy" })).toBe(id({}));
    expect(id({ interception: "none" })).not.toBe(id({}));
    expect(id({ dnsDomain: "" })).not.toBe(id({}));
    expect(id({ namespace: "shop" })).not.toBe(id({}));
    expect(id({ metadata: { HTTP_PROXY_PORT: "15003" } })).toBe(id({}));
  });

  test("are not for routers and proxyless clients", () => {
    const push = pushFor(world);
    const family = sidecarRoutes(new ProtoWriter());
    expect(family.parts({ ...proxy, type: "router" }, push, "all")).toEqual([]);
    expect(family.parts({ ...proxy, generator: "grpc" }, push, "all")).toEqual([]);
  });

  test("name the rules of their hashes as owners", () => {
    const push = pushFor({ ...world, rules: [hashing("cart.shop")] });
    const { resources } = sidecarRoutes(new ProtoWriter()).generate({ inputs: partOf(push), push });
    const named = resources.filter(({ owners }) => owners.includes(configId("DestinationRule", "shop", "cart")));
    expect(named.map(({ name }) => name).toSorted()).toEqual(["80", "90", "91", "http_proxy"]);
  });

  test("name their source services and virtual services, each once, sorted", () => {
    const push = pushFor(world);
    const { resources } = sidecarRoutes(new ProtoWriter()).generate({ inputs: partOf(push), push });
    expect(Object.fromEntries(resources.map(({ name, owners }) => [name, owners]))).toEqual({
      "80": ["ServiceEntry/shop/cart.shop", "ServiceEntry/shop/pay.shop", "VirtualService/shop/pay"],
      "90": ["ServiceEntry/shop/cart.shop"],
      "91": ["ServiceEntry/shop/pay.shop", "VirtualService/shop/pay"],
      "92": ["ServiceEntry/shop/db.shop"],
      "db.shop:92": ["ServiceEntry/shop/db.shop"],
      http_proxy: [
        "ServiceEntry/shop/cart.shop",
        "ServiceEntry/shop/db.shop",
        "ServiceEntry/shop/pay.shop",
        "VirtualService/shop/pay",
      ],
    });
  });

  test.each<[string, World, ConfigId, readonly string[]]>([
    [
      "a virtual service",
      { ...world, virtualServices: [virtual("pay", ["pay.shop"], "db.shop", 92)] },
      configId("VirtualService", "shop", "pay"),
      ["80", "91", "http_proxy"],
    ],
    [
      "a virtual service that takes over another host",
      { ...world, virtualServices: [virtual("pay", ["db.shop"], "cart.shop")] },
      configId("VirtualService", "shop", "pay"),
      ["80", "91", "92", "db.shop:92", "http_proxy"],
    ],
    [
      "a service that leaves a port",
      { ...world, services: [service("cart.shop", [80, "HTTP"]), pay, db] },
      configId("Service", "shop", "cart.shop"),
      ["80", "90", "http_proxy"],
    ],
    [
      "a service that comes",
      { ...world, services: [...world.services, service("new.shop", [93, "HTTP"])] },
      configId("Service", "shop", "new.shop"),
      ["93", "http_proxy"],
    ],
    [
      "a rule with a hash, for all that lead to its host",
      { ...world, rules: [hashing("cart.shop")] },
      configId("DestinationRule", "shop", "cart"),
      ["80", "90", "91", "http_proxy"],
    ],
    [
      "a rule without one",
      { ...world, rules: [fakeRule({ host: "cart.shop" })] },
      configId("DestinationRule", "shop", "cart"),
      [],
    ],
  ])("are rebuilt after a change of %s only where it is in scope", (_, after, changed, names) => {
    const push = pushFor(world);
    const since = { push, changed: new Set([changed]) };
    const family = sidecarRoutes(new ProtoWriter());
    const { covers } = family.generate({ inputs: partOf(push), push: pushFor(after), since });
    expect(covers === "all" ? covers : [...covers].toSorted()).toEqual(names);
  });

  test("encode, after an edit of a virtual service, only its own routes and virtual hosts", () => {
    const writer = new ProtoWriter();
    const family = sidecarRoutes(writer);
    const push = pushFor(world);
    const inputs = partOf(push);
    const before = ResourceSet.empty.apply(family.generate({ inputs, push }));
    const encodings = writer.encodings;
    const edited = pushFor({ ...world, virtualServices: [virtual("pay", ["pay.shop"], "db.shop", 92)] });
    const since = { push, changed: new Set([configId("VirtualService", "shop", "pay")]) };
    const after = before.apply(family.generate({ inputs, push: edited, since }));
    const unchanged = [...before].filter(({ name }) => after.get(name) === before.get(name));
    expect(unchanged.map(({ name }) => name)).toEqual(["90", "92", "db.shop:92"]);
    // The route as port 80 and as port 91 has it; a host on 80, on 91, and both on the proxy; three configurations.
    expect(writer.encodings - encodings).toBe(2 + 4 + 3);
  });

  test("encode hardly more for one more namespace: hosts with equal domains are shared", () => {
    const writer = new ProtoWriter();
    const family = sidecarRoutes(writer);
    const push = pushFor(world);
    family.generate({ inputs: partOf(push), push });
    const encodings = writer.encodings;
    const inputs = partOf(push, { namespace: "pay", dnsDomain: "pay.svc.cluster.local" });
    const { resources } = family.generate({ inputs, push });
    expect(writer.encodings - encodings).toBe(resources.length);
  });
});

const hosts = fc.constantFrom("a.x.com", "b.x.com", "*.x.com", "*.com", "other.com");
const port = fc.constantFrom<[number, Protocol]>([80, "HTTP"], [81, "GRPC"], [82, "auto"], [83, "TCP"]);
const address = fc.constantFrom<readonly string[]>([], ["10.0.0.1"], ["10.0.0.2"]);

const services = fc.uniqueArray(
  fc
    .record({ hostname: hosts, ports: fc.uniqueArray(port, { minLength: 1 }), addresses: address })
    .map(({ hostname, ports, addresses }) => ({ ...service(hostname, ...ports), addresses })),
  { selector: ({ hostname }) => hostname },
);

const virtualServices = fc.uniqueArray(
  fc
    .record({ name: fc.constantFrom("u", "v", "w"), hosts: fc.uniqueArray(hosts, { minLength: 1 }), to: hosts })
    .map((one) => virtual(one.name, one.hosts, one.to)),
  { selector: ({ name }) => name },
);

const egressPort = fc.constantFrom<[number, Protocol, string]>(
  [80, "HTTP", ""],
  [82, "auto", "127.0.0.1"],
  [3128, "HTTP_PROXY", "127.0.0.1"],
  [0, "HTTP", "unix:///run/x"],
);

const sidecars = fc
  .option(fc.record({ ports: fc.array(egressPort, { maxLength: 2 }), hostname: hosts, other: fc.boolean() }))
  .map((drawn) => {
    if (drawn === null) return [];
    const all = { port: undefined, bind: "", captureMode: "default", hosts: [imported("*")] } as const;
    const narrow = drawn.ports.map(([number, protocol, bind]) => {
      return {
        port: { number, name: "p", protocol },
        bind,
        captureMode: "none",
        hosts: [imported(drawn.hostname)],
      } as const;
    });
    return [fakeSidecar({ namespace: "web", egress: drawn.other ? [...narrow, all] : narrow })];
  });

function imported(hostname: string) {
  return { namespace: "*", hostname, excluded: false };
}

/** The ids that a commit reports: the objects that differ before and after. */
function changesBetween(before: World, after: World): ReadonlySet<ConfigId> {
  const [was, is] = [objectsOf(before), objectsOf(after)];
  return new Set([...was.keys(), ...is.keys()].filter((id) => was.get(id) !== is.get(id)));
}

function objectsOf(each: World): ReadonlyMap<ConfigId, object> {
  const objects = new Map<ConfigId, object>();
  for (const one of each.services ?? []) objects.set(configId("Service", one.namespace, one.hostname), one);
  for (const one of each.virtualServices ?? []) objects.set(one.owner, one);
  for (const one of each.sidecars ?? []) objects.set(one.owner, one);
  return objects;
}

test("routes after an incremental update equal routes built from scratch", () => {
  const drawn = fc.record({ services, virtualServices, sidecars });
  fc.assert(
    fc.property(drawn, drawn, fc.constantFrom("services", "virtualServices", "sidecars"), (before, other, kind) => {
      const after = { ...before, [kind]: other[kind] };
      const [was, is] = [pushFor(before), pushFor(after)];
      const inputs = partOf(is);
      const family = sidecarRoutes(new ProtoWriter());
      const first = ResourceSet.empty.apply(family.generate({ inputs, push: was }));
      const since = { push: was, changed: changesBetween(before, after) };
      const updated = first.apply(family.generate({ inputs, push: is, since }));
      const scratch = sidecarRoutes(new ProtoWriter()).generate({ inputs, push: is });
      expect(updated.version).toBe(ResourceSet.empty.apply(scratch).version);
    }),
    { seed, numRuns: runs(80) },
  );
});

test("every route configuration that an outbound listener references exists, for every interception mode", () => {
  const world = fc.record({ services, virtualServices, sidecars });
  const interception = fc.constantFrom<Proxy["interception"]>("redirect", "none");
  fc.assert(
    fc.property(world, interception, (drawn, mode) => {
      const push = pushFor(drawn);
      const writer = new ProtoWriter();
      const client = { ...proxy, interception: mode };
      const names = new Set(everythingOf(sidecarRoutes(writer), client, push).map(({ name }) => name));
      const wanted = everythingOf(outboundListeners(writer), client, push).flatMap(routesNamedBy);
      expect(wanted.filter((name) => !names.has(name))).toEqual([]);
    }),
    { seed, numRuns: runs(50) },
  );
});

function everythingOf<Inputs extends PartInputs>(family: PartFamily<Inputs>, client: Proxy, push: PushContext) {
  return family.parts(client, push, "all").flatMap((inputs) => family.generate({ inputs, push }).resources);
}

function routesNamedBy({ entry }: Resource): readonly string[] {
  const reader = new BinaryReader(entry);
  reader.tag();
  const listener = anyUnpack(fromBinary(AnySchema, reader.bytes()), ListenerSchema);
  const chains = [...(listener?.filterChains ?? []), listener?.defaultFilterChain].filter(
    (chain) => chain !== undefined,
  );
  return chains
    .flatMap(({ filters }) => filters.map(({ configType }) => configType))
    .flatMap(({ case: type, value }) =>
      type === "typedConfig" ? (anyUnpack(value, HttpConnectionManagerSchema) ?? []) : [],
    )
    .flatMap(({ routeSpecifier }) => (routeSpecifier.case === "rds" ? [routeSpecifier.value.routeConfigName] : []));
}
