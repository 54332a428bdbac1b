import { expect, test } from "vitest";
import { envoyResourceTypes } from "./resource-type.ts";

test("the send order of Envoy's types puts referenced types before the types that refer to them", () => {
  expect(envoyResourceTypes).toEqual([
    { typeUrl: "type.googleapis.com/envoy.config.cluster.v3.Cluster", shortName: "CDS", sotw: "whole" },
    {
      typeUrl: "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
      shortName: "EDS",
      sotw: "partial",
    },
    { typeUrl: "type.googleapis.com/envoy.config.listener.v3.Listener", shortName: "LDS", sotw: "whole" },
    { typeUrl: "type.googleapis.com/envoy.config.route.v3.RouteConfiguration", shortName: "RDS", sotw: "partial" },
    { typeUrl: "type.googleapis.com/envoy.config.route.v3.VirtualHost", shortName: "VHDS", sotw: "whole" },
    {
      typeUrl: "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",
      shortName: "SDS",
      sotw: "partial",
    },
    {
      typeUrl: "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig",
      shortName: "ECDS",
      sotw: "partial",
      neverRemoved: true,
    },
  ]);
});
