import { expect, test } from "vitest";
import { streamPair } from "../../testing/stream/stream-pair.ts";
import { clusterType, endpointType, extensionType, listenerType, routeType, secretType } from "../type-urls.ts";
import type { StreamKind } from "../xds-server.ts";
import { discoveryMethods } from "./discovery-methods.ts";

const services: readonly (readonly [service: string, noun: string, only?: string])[] = [
  ["envoy.service.discovery.v3.AggregatedDiscoveryService", "AggregatedResources"],
  ["envoy.service.cluster.v3.ClusterDiscoveryService", "Clusters", clusterType],
  ["envoy.service.endpoint.v3.EndpointDiscoveryService", "Endpoints", endpointType],
  ["envoy.service.listener.v3.ListenerDiscoveryService", "Listeners", listenerType],
  ["envoy.service.route.v3.RouteDiscoveryService", "Routes", routeType],
  ["envoy.service.secret.v3.SecretDiscoveryService", "Secrets", secretType],
  ["envoy.service.extension.v3.ExtensionConfigDiscoveryService", "ExtensionConfigs", extensionType],
  ["envoy.service.discovery.v2.AggregatedDiscoveryService", "AggregatedResources"],
  ["envoy.api.v2.ClusterDiscoveryService", "Clusters", clusterType],
  ["envoy.api.v2.EndpointDiscoveryService", "Endpoints", endpointType],
  ["envoy.api.v2.ListenerDiscoveryService", "Listeners", listenerType],
  ["envoy.api.v2.RouteDiscoveryService", "Routes", routeType],
  ["envoy.service.discovery.v2.SecretDiscoveryService", "Secrets", secretType],
];

test.each(services)("%s is served as Stream%s and as Delta%s", (service, noun, only) => {
  const served: StreamKind[] = [];
  const methods = discoveryMethods((_stream, kind) => served.push(kind));
  const { server } = streamPair();
  for (const verb of ["Stream", "Delta"]) methods.get(`/${service}/${verb}${noun}`)?.(server);
  const type = only === undefined ? {} : { only };
  expect(served).toEqual([
    { mode: "sotw", ...type },
    { mode: "delta", ...type },
  ]);
});

test("there are no other methods, and each method opens its own kind of stream", () => {
  const { server } = streamPair();
  let served = 0;
  const methods = discoveryMethods((stream) => {
    expect(stream).toBe(server);
    served++;
  });
  for (const method of methods.values()) method(server);
  expect([methods.size, served]).toEqual([2 * services.length, 2 * services.length]);
});
