import { expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer.ts";
import { resourceJson } from "../../../testing/resource-json.ts";
import { buildServerListener } from "./build-server-listener.ts";

test("a server is let in on its address, in plain text, with every call left to the application", () => {
  const name = "xds.istio.io/grpc/lds/inbound/0.0.0.0:50051";
  const owners = [configId("ServiceEntry", "shop", "cart")];
  const listener = buildServerListener({ name, address: "0.0.0.0", port: 50_051, owners }, new ProtoWriter());
  expect(listener.owners).toEqual(owners);
  expect(resourceJson(listener)).toEqual({
    name,
    address: { socketAddress: { address: "0.0.0.0", portValue: 50_051 } },
    trafficDirection: "INBOUND",
    filterChains: [
      {
        name: "inbound-plaintext",
        filters: [
          {
            name: "inbound-hcmplaintext",
            typedConfig: {
              "@type":
                "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
              routeConfig: {
                name: "inbound",
                virtualHosts: [
                  {
                    name: "inbound",
                    domains: ["*"],
                    routes: [{ match: { prefix: "/" }, nonForwardingAction: {} }],
                  },
                ],
              },
              httpFilters: [
                {
                  name: "envoy.filters.http.router",
                  typedConfig: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
                },
              ],
            },
          },
        ],
      },
    ],
  });
});
