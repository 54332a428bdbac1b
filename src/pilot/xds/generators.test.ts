import { describe, expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { fakeGateway, fakeServer } from "../../testing/model/fake-gateway.ts";
import { fakeEndpoint, fakeService } from "../../testing/model/fake-service.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../testing/model/push.ts";
import { fakeRule, fakeVirtualService } from "../../testing/model/traffic.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import { type PushContext, withEndpoints } from "../model/push-context.ts";
import { type Generator, partId } from "./generator.ts";
import { createGenerators } from "./generators.ts";

const router = proxyWithName("router~10.0.0.1~edge-0.edge~edge.svc.cluster.local", {
  CLUSTER_ID: "c1",
  LABELS: { app: "edge" },
});

function endpointsOf(address: string) {
  return { hostname: "cart.shop", namespace: "shop", endpoints: [fakeEndpoint({ address })], owners: [] };
}

const mesh = pushOf({
  services: [fakeService(), fakeService({ hostname: "pay.shop" })],
  rules: [fakeRule({ subsets: [{ name: "v1", labels: {}, trafficPolicy: undefined }] })],
  virtualServices: [fakeVirtualService()],
  gateways: [fakeGateway()],
});
const push = withEndpoints(mesh, pushOf({ endpoints: [endpointsOf("10.0.0.5")] }), 1);

function everything(proxy: Proxy, writer: ProtoWriter, context: PushContext = push) {
  return createGenerators({ writer }).flatMap((generator) => resourcesOf(generator, proxy, context));
}

function resourcesOf({ families }: Generator, proxy: Proxy, context: PushContext = push) {
  return families.flatMap((family) =>
    family.parts(proxy, context, "all").flatMap((inputs) => family.generate({ inputs, push: context }).resources),
  );
}

function generatorNamed(shortName: string, writer = new ProtoWriter()) {
  const generator = createGenerators({ writer }).find((candidate) => candidate.shortName === shortName);
  if (generator === undefined) throw new Error(`no generator ${shortName}`);
  return generator;
}

/** The proxy's own service and another one. Neither is visible outside of its namespace. */
const privateServices = pushOf({
  services: ["edge", "other"].map((namespace) =>
    fakeService({ hostname: `own.${namespace}`, namespace, exportTo: ["."] }),
  ),
  endpoints: [
    { hostname: "own.edge", namespace: "edge", endpoints: [fakeEndpoint({ address: "10.0.0.1" })], owners: [] },
  ],
});

/** The families that have parts for a proxy, and the namespaces whose private services these depend on. */
function familiesOf(proxy: Proxy): readonly string[] {
  return createGenerators({ writer: new ProtoWriter() }).flatMap(({ shortName, families }) =>
    families.flatMap((family) =>
      family.parts(proxy, privateServices, "all").map((inputs) => {
        const dependsOn = family.dependencies(inputs, privateServices);
        const namespaces = ["edge", "other"].filter((each) => dependsOn(configId("Service", each, `own.${each}`)));
        return `${shortName} ${family.name} in ${namespaces.join()}`;
      }),
    ),
  );
}

/** Families of proxies in the namespace `edge`. */
function inEdge(...names: readonly string[]): readonly string[] {
  return names.map((name) => `${name} in edge`);
}

describe("generators", () => {
  test("are in the order in which a push sends them", () => {
    const names = createGenerators({ writer: new ProtoWriter() }).map(({ shortName }) => shortName);
    expect(names).toEqual(["CDS", "EDS", "ECDS", "LDS", "RDS", "VHDS", "SDS", "NDS", "PCDS"]);
  });

  test("are wildcard types or types by name, as in the protocol", () => {
    const all = createGenerators({ writer: new ProtoWriter() });
    expect(Object.fromEntries(all.map(({ shortName, sotw }) => [shortName, sotw]))).toEqual({
      CDS: "whole",
      EDS: "partial",
      ECDS: "partial",
      LDS: "whole",
      RDS: "partial",
      VHDS: "whole",
      SDS: "partial",
      NDS: "whole",
      PCDS: "whole",
    });
  });

  test("have families that list the kinds that affect them", () => {
    const kinds = [
      ..."Service Endpoints Instance VirtualService DestinationRule Gateway Sidecar PeerAuthentication".split(" "),
      "Extension",
      "Secret",
      "ConfigMap",
      "TrustAnchor",
    ];
    const all = createGenerators({ writer: new ProtoWriter() }).flatMap(({ shortName, families }) =>
      families.map((family) => [
        `${shortName} ${family.name}`,
        kinds.filter((kind) => family.concerns(kind)).join(" "),
      ]),
    );
    const clusters = "Service VirtualService DestinationRule Sidecar";
    const routes = "Service VirtualService DestinationRule";
    const endpoints = "Service Endpoints VirtualService DestinationRule Sidecar PeerAuthentication";
    expect(Object.fromEntries(all)).toEqual({
      "CDS outbound": `${clusters} PeerAuthentication`,
      "CDS sni-dnat": "Service DestinationRule PeerAuthentication",
      "CDS inbound": "Service Instance DestinationRule Sidecar",
      "CDS grpc": clusters,
      "EDS outbound": endpoints,
      "EDS sni-dnat": "Service Endpoints DestinationRule PeerAuthentication",
      "EDS grpc": endpoints,
      "ECDS extensions": "Extension Secret",
      "LDS gateway": `${routes} Gateway Extension`,
      "LDS outbound": "Service Endpoints VirtualService DestinationRule Sidecar Extension",
      "LDS inbound": "Service Endpoints Instance Sidecar PeerAuthentication Extension",
      "LDS grpc": "Service Sidecar",
      "LDS grpc-server": "Service Instance PeerAuthentication",
      "RDS gateway": `${routes} Gateway`,
      "RDS sidecar": `${routes} Sidecar`,
      "RDS grpc": `${routes} Sidecar`,
      "SDS secrets": "Secret ConfigMap",
      "SDS mesh roots": "TrustAnchor",
      "NDS names": "Service Endpoints VirtualService Sidecar",
      "PCDS trust bundle": "TrustAnchor",
    });
  });

  test("have families for routers, for sidecars and for proxyless clients, each with its own scope", () => {
    const node = "~10.0.0.1~x-0.edge~edge.svc.cluster.local";
    const proxies = [router, proxyWithName(`sidecar${node}`), proxyWithName(`sidecar${node}`, { GENERATOR: "grpc" })];
    const forAll = "PCDS trust bundle in ";
    expect(proxies.map(familiesOf)).toEqual([
      [...inEdge("CDS outbound", "EDS outbound", "ECDS extensions", "LDS gateway", "RDS gateway", "NDS names"), forAll],
      [
        ...inEdge(
          "CDS outbound",
          "CDS inbound",
          "EDS outbound",
          "ECDS extensions",
          "LDS outbound",
          "LDS inbound",
          "RDS sidecar",
          "NDS names",
        ),
        forAll,
      ],
      inEdge("CDS grpc", "EDS grpc", "LDS grpc", "LDS grpc-server", "RDS grpc"),
    ]);
  });

  test("have a cluster per port and subset, and warming dependencies", () => {
    const clusters = generatorNamed("CDS");
    const resources = resourcesOf(clusters, router);
    expect(resources.map(({ name, warmedBy }) => [name, warmedBy])).toEqual([
      ["outbound|80||cart.shop", "outbound|80||cart.shop"],
      ["outbound|80|v1|cart.shop", "outbound|80|v1|cart.shop"],
      ["outbound|80||pay.shop", "outbound|80||pay.shop"],
      ["BlackHoleCluster", undefined],
    ]);
  });

  test("share parts between proxies that differ only in irrelevant facts", () => {
    const twin = { ...router, id: "edge-1.edge", nodeId: "other", ipAddresses: ["10.0.0.2"] };
    const stranger = { ...router, namespace: "web" };
    const generators = createGenerators({ writer: new ProtoWriter() });
    // Nobody asks for secrets here, all agents share one trust bundle, and virtual hosts are split from routes.
    for (const generator of generators.filter(({ shortName }) => !["SDS", "PCDS", "VHDS"].includes(shortName))) {
      const id = (proxy: Proxy) => generator.families.flatMap((family) => family.parts(proxy, push, "all").map(partId));
      expect(id(twin)).toEqual(id(router));
      expect(id(stranger)).not.toEqual(id(router));
    }
  });

  test("rebuild, after an endpoint change, the clusters of that service and encode nothing else", () => {
    const writer = new ProtoWriter();
    const generator = generatorNamed("EDS", writer);
    const [family] = generator.families;
    const [inputs] = family?.parts(router, push, "all") ?? [];
    if (family === undefined || inputs === undefined) throw new Error("a router has a part");
    family.generate({ inputs, push });
    const encodings = writer.encodings;
    const newer = withEndpoints(push, pushOf({ endpoints: [endpointsOf("10.0.0.6")] }), 2);
    const changed = new Set([configId("Endpoints", "shop", "cart.shop")]);
    const { covers, resources } = family.generate({ inputs, push: newer, since: { push, changed } });
    const names = ["outbound|80||cart.shop", "outbound|80|v1|cart.shop"];
    expect(covers).toEqual(new Set(names));
    expect(resources.map(({ name }) => name)).toEqual(names);
    // The endpoint once, and its two load assignments.
    expect(writer.encodings - encodings).toBe(3);
  });

  test("respond to unknown names, so that Envoy does not wait", () => {
    expect(generatorNamed("EDS").absent?.("outbound|1||x")).toMatchObject({ name: "outbound|1||x", owners: [] });
    const routes = generatorNamed("RDS");
    expect(Buffer.from(routes.absent?.("http.81")?.entry ?? []).toString()).toContain("blackhole:81");
    expect(Buffer.from(routes.absent?.("https.443.x")?.entry ?? []).toString()).not.toContain("blackhole");
  });

  test("bind privileged ports only where the proxy may", () => {
    const listeners = generatorNamed("LDS");
    const count = (port: number, metadata: Proxy["metadata"]) => {
      const mesh = pushOf({ gateways: [fakeGateway({ servers: [fakeServer({ port })] })] });
      return resourcesOf(listeners, { ...router, metadata }, mesh).length;
    };
    expect([1023, 1024].map((port) => count(port, {}))).toEqual([1, 1]);
    expect([1023, 1024].map((port) => count(port, { UNPRIVILEGED_POD: "true" }))).toEqual([0, 1]);
  });

  test("name the source objects of a resource", () => {
    const owners = everything(router, new ProtoWriter()).find(
      ({ name }) => name === "outbound|80|v1|cart.shop",
    )?.owners;
    expect(owners).toEqual(["DestinationRule/shop/cart", "ServiceEntry/shop/cart"]);
  });
});
