import { describe, expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { fakeGateway, fakeServer } from "../../testing/model/gateway.ts";
import { proxyNamed } from "../../testing/model/proxy-named.ts";
import { pushOf } from "../../testing/model/push.ts";
import { fakeEndpoint, fakeService } from "../../testing/model/service.ts";
import { fakeRule, fakeVirtualService } from "../../testing/model/traffic.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import { type PushContext, withEndpoints } from "../model/push-context.ts";
import type { Generator } from "./generator.ts";
import { createGenerators } from "./generators.ts";

const router = proxyNamed("router~10.0.0.1~edge-0.edge~edge.svc.cluster.local", {
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

describe("generators", () => {
  test("stand in the order in which a push sends them", () => {
    const names = createGenerators({ writer: new ProtoWriter() }).map(({ shortName }) => shortName);
    expect(names).toEqual(["CDS", "EDS", "LDS", "RDS", "SDS", "NDS"]);
  });

  test("name a cluster per port and subset, and what each waits for", () => {
    const clusters = generatorNamed("CDS");
    const resources = resourcesOf(clusters, router);
    expect(resources.map(({ name, warmedBy }) => [name, warmedBy])).toEqual([
      ["outbound|80||cart.shop", "outbound|80||cart.shop"],
      ["outbound|80|v1|cart.shop", "outbound|80|v1|cart.shop"],
      ["outbound|80||pay.shop", "outbound|80||pay.shop"],
      ["BlackHoleCluster", undefined],
    ]);
  });

  test("answer that there is no secret, rather than not at all", () => {
    const secrets = generatorNamed("SDS");
    expect([secrets.sotw, secrets.families]).toEqual(["partial", []]);
  });

  test("share parts between proxies that differ in nothing that matters", () => {
    const twin = { ...router, id: "edge-1.edge", nodeId: "other", ipAddresses: ["10.0.0.2"] };
    const stranger = { ...router, namespace: "web" };
    const generators = createGenerators({ writer: new ProtoWriter() });
    for (const generator of generators.filter(({ families }) => families.length > 0)) {
      const id = (proxy: Proxy) =>
        generator.families.flatMap((family) => family.parts(proxy, push, "all").map((part) => part.id));
      expect(id(twin)).toEqual(id(router));
      expect(id(stranger)).not.toEqual(id(router));
    }
  });

  test("speak, after an endpoint change, for the clusters of that service and encode nothing else", () => {
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
    // The endpoint once, and the two load assignments it stands in.
    expect(writer.encodings - encodings).toBe(3);
  });

  test("answer for names that are not there, so that Envoy does not wait", () => {
    expect(generatorNamed("EDS").absent?.("outbound|1||x")).toMatchObject({ name: "outbound|1||x", owners: [] });
    const routes = generatorNamed("RDS");
    expect(Buffer.from(routes.absent?.("http.81")?.entry ?? []).toString()).toContain("blackhole:81");
    expect(Buffer.from(routes.absent?.("https.443.x")?.entry ?? []).toString()).not.toContain("blackhole");
  });

  test("listen on privileged ports only where the proxy may", () => {
    const gateway = fakeGateway({ servers: [fakeServer({ port: 80 })] });
    const low = pushOf({ gateways: [gateway] });
    const listeners = generatorNamed("LDS");
    const count = (proxy: Proxy) => resourcesOf(listeners, proxy, low).length;
    expect(count(router)).toBe(1);
    expect(count({ ...router, metadata: { UNPRIVILEGED_POD: "true" } })).toBe(0);
  });

  test("name the users' objects that a resource was made of", () => {
    const owners = everything(router, new ProtoWriter()).find(
      ({ name }) => name === "outbound|80|v1|cart.shop",
    )?.owners;
    expect(owners).toEqual(["DestinationRule/shop/cart", "ServiceEntry/shop/cart"]);
  });
});
