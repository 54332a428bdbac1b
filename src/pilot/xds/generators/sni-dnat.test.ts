import { describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fileCertificates } from "../../../testing/model/fake-cluster-client.ts";
import { fakeGateway, fakeServer, fakeServerTls } from "../../../testing/model/fake-gateway.ts";
import { fakeEndpoint, fakeService } from "../../../testing/model/fake-service.ts";
import { fakePolicy, fakeTls } from "../../../testing/model/fake-traffic-policy.ts";
import { partChange } from "../../../testing/model/part-change.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { type Mesh, pushOf } from "../../../testing/model/push.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import type { ServerTlsMode } from "../../model/gateway/gateway.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { sniDnatClusters } from "./outbound-clusters.ts";
import { sniDnatEndpoints } from "./outbound-endpoints.ts";

const labels = { LABELS: { app: "edge" } };
const router = proxyWithName("router~10.0.0.2~edge-0.edge~edge.svc.cluster.local", labels);
const certified: Proxy = { ...router, certificates: fileCertificates };
const sidecar = proxyWithName("sidecar~10.0.0.3~edge-0.edge~edge.svc.cluster.local", labels);
const otherRouter = proxyWithName("router~10.0.0.4~web-0.edge~edge.svc.cluster.local", { LABELS: { app: "web" } });

/** Servers of the one Gateway, by what each does with TLS. */
function gatewayOf(...modes: readonly ServerTlsMode[]) {
  const servers = modes.map((mode, index) => {
    const [port, protocol] = [15_443 + index, mode.endsWith("passthrough") ? "TLS" : "HTTPS"] as const;
    return fakeServer({ port, portName: `tls-${port}`, protocol, tls: fakeServerTls({ mode }) });
  });
  return fakeGateway({ servers });
}

const cart = fakeService();
const mail = fakeService({ hostname: "mail.shop", owner: configId("ServiceEntry", "shop", "mail") });
const outside = fakeService({ hostname: "api.example.com", meshExternal: true });
const names = { cart: "outbound_.80_._.cart.shop", mail: "outbound_.80_._.mail.shop" };

function endpointsOf(hostname: string, ...addresses: readonly string[]) {
  const endpoints = addresses.map((address) => fakeEndpoint({ address, tlsMode: "istio" }));
  return { hostname, namespace: "shop", endpoints, owners: [] };
}

function meshOf(changes: Mesh = {}) {
  return pushOf({ gateways: [gatewayOf("auto-passthrough")], services: [cart, mail, outside], ...changes });
}

function made(familyWith: typeof sniDnatClusters | typeof sniDnatEndpoints, proxy: Proxy, push = meshOf()) {
  // A part goes only to the family that made it.
  const family = familyWith(new ProtoWriter()) as ReturnType<typeof sniDnatClusters>;
  return family.parts(proxy, push, "all").flatMap((inputs) => family.generate({ inputs, push }).resources);
}

describe.each([
  ["clusters", sniDnatClusters],
  ["endpoints", sniDnatEndpoints],
] as const)("%s of SNI-DNAT routers", (_, family) => {
  const named = (proxy: Proxy, push = meshOf()) => made(family, proxy, push).map(({ name }) => name);

  test("go to a router with an AUTO_PASSTHROUGH server, with any other servers", () => {
    expect(named(router)).toEqual([names.cart, names.mail]);
    const two = gatewayOf("passthrough", "auto-passthrough");
    expect(named(router, meshOf({ gateways: [two] }))).toHaveLength(2);
    const servers = two.servers.map((server, index) => {
      return { ...server, port: 15_443, hosts: [{ namespace: "*", hostname: `*.${index}.example` }] };
    });
    expect(named(router, meshOf({ gateways: [{ ...two, servers }] }))).toHaveLength(2);
  });

  test("go to no sidecar, to no router of another Gateway, and to no router without AUTO_PASSTHROUGH", () => {
    expect(named(sidecar)).toEqual([]);
    expect(named(otherRouter)).toEqual([]);
    for (const mode of ["passthrough", "simple", "mutual", "istio-mutual"] as const) {
      expect(named(router, meshOf({ gateways: [gatewayOf(mode)] }))).toEqual([]);
    }
    expect(named(router, meshOf({ gateways: [] }))).toEqual([]);
  });

  test("exist for each port and subset of services in the mesh, and for no external service", () => {
    const ports = [...cart.ports, { number: 81, name: "http-more", protocol: "HTTP", targetPort: 81 } as const];
    const rules = [fakeRule({ subsets: [{ name: "v1", labels: {}, trafficPolicy: undefined }] })];
    const push = meshOf({ services: [{ ...cart, ports }, outside], rules });
    expect(named(router, push)).toEqual([
      names.cart,
      "outbound_.80_.v1_.cart.shop",
      "outbound_.81_._.cart.shop",
      "outbound_.81_.v1_.cart.shop",
    ]);
  });

  test("are rebuilt only for the service that changed", () => {
    const [before, after] = [meshOf(), meshOf({ services: [{ ...cart, createdAt: 1 }, mail, outside] })];
    const changed = [configId("Service", "shop", "cart.shop")];
    expect(partChange(family, router, { before, after, changed })).toMatchObject({
      covers: [names.cart],
      names: [names.cart],
    });
  });

  test("disappear with a service that becomes external or is deleted", () => {
    const changed = [configId("Service", "shop", "cart.shop")];
    for (const services of [[{ ...cart, meshExternal: true }, mail], [mail]]) {
      const edited = { before: meshOf(), after: meshOf({ services: [...services, outside] }), changed };
      expect(partChange(family, router, edited)).toMatchObject({ covers: [names.cart], names: [] });
    }
  });

  test("lose the subset that a rule no longer has", () => {
    const [v1, v2] = ["v1", "v2"].map((name) => [{ name, labels: {}, trafficPolicy: undefined }]);
    const before = meshOf({ rules: [fakeRule({ subsets: v1 ?? [] })] });
    const after = meshOf({ rules: [fakeRule({ subsets: v2 ?? [] })] });
    const changed = [configId("DestinationRule", "shop", "cart")];
    expect(partChange(family, router, { before, after, changed })).toMatchObject({
      covers: [names.cart, "outbound_.80_.v1_.cart.shop", "outbound_.80_.v2_.cart.shop"].toSorted(),
      names: [names.cart, "outbound_.80_.v2_.cart.shop"].toSorted(),
    });
  });

  test("do not depend on VirtualServices and Sidecars", () => {
    const changed = [configId("VirtualService", "shop", "cart"), configId("Sidecar", "edge", "default")];
    const edited = { before: meshOf(), after: meshOf(), changed };
    expect(partChange(family, router, edited)).toEqual({ covers: [], names: [], encodings: 0 });
  });
});

describe("a cluster of an SNI-DNAT router", () => {
  test("ignores the TLS settings of a rule, and has no catch-all cluster beside it", () => {
    const rules = [fakeRule({ trafficPolicy: fakePolicy({ tls: fakeTls({ mode: "istio-mutual" }) }) })];
    const clusters = made(sniDnatClusters, certified, meshOf({ services: [cart], rules })).map(decodedResource);
    const sockets = clusters.map((cluster) =>
      Object.keys(cluster).filter((name) => name.startsWith("transportSocket")),
    );
    expect(sockets).toEqual([[]]);
  });

  test("is not rebuilt when endpoints change, but its endpoints are", () => {
    const [before, after] = ["10.0.0.5", "10.0.0.6"].map((address) => {
      return meshOf({ endpoints: [endpointsOf("cart.shop", address)] });
    });
    if (before === undefined || after === undefined) throw new Error("there are two");
    const edited = { before, after, changed: [configId("Endpoints", "shop", "cart.shop")] };
    expect(partChange(sniDnatClusters, router, edited)).toMatchObject({ covers: [], names: [] });
    expect(partChange(sniDnatEndpoints, router, edited)).toMatchObject({ covers: [names.cart], names: [names.cart] });
  });

  test("contains its endpoints if Envoy resolves names, and then has none in EDS", () => {
    const push = meshOf({
      services: [{ ...cart, resolution: "dns" }, mail],
      endpoints: [endpointsOf("cart.shop", "cart.example.com")],
    });
    expect(made(sniDnatClusters, router, push).map(({ name }) => name)).toEqual([names.cart, names.mail]);
    expect(made(sniDnatEndpoints, router, push).map(({ name }) => name)).toEqual([names.mail]);
  });
});
