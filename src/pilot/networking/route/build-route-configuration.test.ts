import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { buildRouteConfiguration, emptyRoutes } from "./build-route-configuration.ts";

const writer = new ProtoWriter();

function built(ignorePort: boolean): unknown {
  return decodedResource(buildRouteConfiguration({ name: "80", virtualHosts: [], ignorePort, owners: [] }, writer));
}

test("a route configuration may name unknown clusters, has a body size limit, and may ignore the port in a host", () => {
  const common = { name: "80", validateClusters: false, maxDirectResponseBodySizeBytes: 1024 * 1024 };
  expect(built(true)).toMatchObject({ ...common, ignorePortInHostMatching: true });
  expect(built(false)).toMatchObject(common);
  expect(built(false)).not.toHaveProperty("ignorePortInHostMatching");
});

test("an unknown route configuration of a gateway port answers 404 for every host", () => {
  expect(decodedResource(emptyRoutes("http.8080", writer))).toMatchObject({
    virtualHosts: [{ name: "blackhole:8080", domains: ["*"] }],
  });
  expect(decodedResource(emptyRoutes("9080", writer))).toMatchObject({ name: "9080", validateClusters: false });
  expect(decodedResource(emptyRoutes("9080", writer))).not.toHaveProperty("virtualHosts");
});
