import { expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { noPolicies } from "../../../testing/model/no-policies.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import { buildServerListener } from "./build-server-listener.ts";

const around = { policies: noPolicies, mesh: defaultMeshSettings };

test("a server accepts plain text on its address, and passes every call to the application", () => {
  const name = "xds.istio.io/grpc/lds/inbound/0.0.0.0:50051";
  const owners = [configId("ServiceEntry", "shop", "cart")];
  const listener = buildServerListener(
    { name, address: "0.0.0.0", port: 50_051, mutual: false, owners, ...around },
    new ProtoWriter(),
  );
  expect(listener.owners).toEqual(owners);
  expect(decodedResource(listener)).toEqual({
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

test("a server that only accepts the mesh requires a client certificate, by the names of its bootstrap", () => {
  const inputs = { name: "x", address: "0.0.0.0", port: 50_051, mutual: true, owners: [], ...around };
  const listener = decodedResource(buildServerListener(inputs, new ProtoWriter()));
  const certificate = { instanceName: "default", certificateName: "default" };
  const roots = { instanceName: "default", certificateName: "ROOTCA" };
  expect(listener).toMatchObject({
    filterChains: [
      {
        name: "inbound-mtls",
        filters: [{ name: "inbound-hcmmtls" }],
        transportSocket: {
          name: "envoy.transport_sockets.tls",
          typedConfig: {
            requireClientCertificate: true,
            commonTlsContext: {
              tlsCertificateProviderInstance: certificate,
              combinedValidationContext: { defaultValidationContext: { caCertificateProviderInstance: roots } },
            },
          },
        },
      },
    ],
  });
  expect(JSON.stringify(listener)).not.toContain("matchSubjectAltNames");
});
