import { expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../../testing/envoy/decoded-resource.ts";
import { proxyWithName } from "../../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeSidecar } from "../../../../testing/model/workload.ts";
import type { PushContext } from "../../../model/push-context.ts";
import { grpcListeners } from "./grpc-listeners.ts";

const shop = proxyWithName("sidecar~10.0.0.1~web-0.shop~shop.svc.cluster.local", { GENERATOR: "grpc" });
const web = proxyWithName("sidecar~10.0.0.2~web-0.web~web.svc.cluster.local", { GENERATOR: "grpc" });
const family = grpcListeners(new ProtoWriter());

const cart = fakeService({
  hostname: "cart.shop.svc.cluster.local",
  ports: [
    { number: 80, name: "http", protocol: "HTTP", targetPort: 80 },
    { number: 90, name: "grpc", protocol: "GRPC", targetPort: 90 },
    { number: 53, name: "dns", protocol: "UDP", targetPort: 53 },
  ],
});
const push = pushOf({ services: [cart] });

/** Which routes each of the names leads to. */
function routesOf(asked: readonly string[] | "all", proxy = shop, context: PushContext = push): unknown {
  const parts = family.parts(proxy, context, asked === "all" ? asked : new Set(asked));
  const resources = parts.flatMap((inputs) => family.generate({ inputs, push: context }).resources);
  return Object.fromEntries(
    resources.map((resource) => {
      const { apiListener } = decodedResource(resource) as never as {
        readonly apiListener: { readonly apiListener: { readonly rds: { readonly routeConfigName: string } } };
      };
      return [resource.name, apiListener.apiListener.rds.routeConfigName];
    }),
  );
}

test("a listener has exactly the requested name, and references the routes of the port", () => {
  expect(routesOf(["cart:80", "cart.shop:90", "cart.shop.svc.cluster.local.:80"])).toEqual({
    "cart:80": "outbound|80||cart.shop.svc.cluster.local",
    "cart.shop:90": "outbound|90||cart.shop.svc.cluster.local",
    "cart.shop.svc.cluster.local.:80": "outbound|80||cart.shop.svc.cluster.local",
  });
});

test("a name without a port uses the gRPC port", () => {
  expect(routesOf(["cart"])).toEqual({ cart: "outbound|90||cart.shop.svc.cluster.local" });
});

test.each(["cart:81", "cart:53", "pay:80", ":", "cart:eighty"])(
  "%o matches no service, and has no listener",
  (name) => {
    expect(routesOf([name])).toEqual({});
  },
);

test("a name may be as short as the client's own namespace allows", () => {
  expect(routesOf(["cart.shop:80", "cart:80"], web)).toEqual({
    "cart.shop:80": "outbound|80||cart.shop.svc.cluster.local",
  });
});

test("services that a Sidecar does not import cannot be called", () => {
  const hosts = [{ namespace: ".", hostname: "*", excluded: false }];
  const egress = [{ port: undefined, bind: "", captureMode: "default" as const, hosts }];
  const narrow = pushOf({ services: [cart], sidecars: [fakeSidecar({ namespace: "web", egress })] });
  expect(routesOf(["cart.shop:80"], web, narrow)).toEqual({});
  expect(routesOf(["cart.shop:80"], shop, narrow)).toEqual({
    "cart.shop:80": "outbound|80||cart.shop.svc.cluster.local",
  });
});

test("a debug page sees every callable port", () => {
  expect(routesOf("all")).toEqual({
    "cart.shop.svc.cluster.local:80": "outbound|80||cart.shop.svc.cluster.local",
    "cart.shop.svc.cluster.local:90": "outbound|90||cart.shop.svc.cluster.local",
  });
});

test("a part depends on the services that its names may match, also on future ones", () => {
  const [part] = family.parts(shop, push, new Set(["cart:80", "xds.istio.io/grpc/lds/inbound/0.0.0.0:80"]));
  if (part === undefined) throw new Error("a client has a part");
  const dependsOn = family.dependencies(part, push);
  expect(dependsOn(configId("Service", "shop", "cart.shop.svc.cluster.local"))).toBe(true);
  expect(dependsOn(configId("Service", "shop", "pay.shop.svc.cluster.local"))).toBe(false);
  expect(part.names).toEqual(new Set(["cart:80"]));
});

test("Envoys get no such listeners", () => {
  expect(family.parts(proxyWithName("sidecar~10.0.0.1~web-0.shop~shop.svc.cluster.local"), push, "all")).toEqual([]);
});
