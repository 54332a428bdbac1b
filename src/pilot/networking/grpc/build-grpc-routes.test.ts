import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { fakeCorsPolicy, fakeVirtualService, forwardTo } from "../../../testing/model/traffic.ts";
import { defaultMeshSettings as mesh } from "../../model/mesh-settings.ts";
import { noHashes } from "../../model/traffic/applied-hash.ts";
import type { HttpRoute } from "../../model/traffic/virtual-service.ts";
import { selectRoutes } from "../route/select-routes.ts";
import { buildGrpcRoutes } from "./build-grpc-routes.ts";

const port = { number: 80, name: "grpc", protocol: "GRPC", targetPort: 80 } as const;
const service = fakeService({ ports: [port] });

function routesWith(route: HttpRoute): unknown {
  const virtualService = fakeVirtualService({ gateways: ["mesh"], http: [route] });
  const selected = selectRoutes(virtualService, { port: 80, gateway: "mesh", labels: {}, namespace: "web" });
  const routing = { virtualService, selected };
  const inputs = { service, port, dnsDomain: "", families: "dual", routing, mesh, hashes: noHashes } as const;
  return decodedResource(buildGrpcRoutes(inputs, new ProtoWriter()));
}

test("clients inject faults, and get no CORS policy", () => {
  const abort = { status: { type: "grpc", code: 14 }, fraction: { numerator: 5, denominator: 100 } } as const;
  const route = { ...forwardTo("cart.shop"), fault: { delay: undefined, abort }, cors: fakeCorsPolicy() };
  const type = "type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault";
  const injected = { "@type": type, abort: { grpcStatus: 14, percentage: { numerator: 5 } } };
  expect(routesWith(route)).toMatchObject({
    virtualHosts: [{ routes: [{ typedPerFilterConfig: { "envoy.filters.http.fault": injected } }] }],
  });
  expect(JSON.stringify(routesWith(route))).not.toContain("cors");
  expect(JSON.stringify(routesWith(forwardTo("cart.shop")))).not.toContain("typedPerFilterConfig");
});
