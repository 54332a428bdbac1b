import { expect, test } from "vitest";
import { HttpFilterSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { fakeExtension, fakeModule } from "../../../testing/model/fake-extension.ts";
import { stockListenerClient } from "../../../testing/model/fake-listener-client.ts";
import { noPolicies } from "../../../testing/model/no-policies.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { Extension } from "../../model/policy/extension.ts";
import type { NetworkContext } from "../filters/filter.ts";
import { httpFiltersFor, networkFiltersFor } from "../filters.ts";

const writer = new ProtoWriter();
const { capabilities: all } = stockListenerClient;
const none = { ...all, httpWasm: false, networkWasm: false, lua: false };

function http(extensions: readonly Extension[], capabilities = all) {
  const policies = { ...noPolicies, extensions };
  const facts = { protocol: "HTTP", hidesDebug: false, hidesIdentityOutside: false } as const;
  return httpFiltersFor({ direction: "inbound", capabilities, mesh: defaultMeshSettings, policies, ...facts }, writer)
    .map((bytes) => decodedMessage(HttpFilterSchema, bytes))
    .filter(({ name }) => typeof name === "string" && name.startsWith("extensions.istio.io/"));
}

function network(extensions: readonly Extension[], capabilities = all, carries: NetworkContext["carries"] = "tcp") {
  const policies = { ...noPolicies, extensions };
  return (
    networkFiltersFor({ direction: "inbound", carries, capabilities, mesh: defaultMeshSettings, policies }, writer)
      // The fields of both kinds of filters have the same numbers.
      .map((bytes) => decodedMessage(HttpFilterSchema, bytes))
  );
}

test("requests pass the extensions phase by phase", () => {
  const phases = ["unspecified", "stats", "authz", "authn"] as const;
  const names = http(phases.map((phase) => fakeExtension(phase, { phase }))).map(({ name }) => name);
  expect(names).toEqual(
    ["authn", "authz", "stats", "unspecified"].map((name) => `extensions.istio.io/wasmplugin/shop.${name}`),
  );
});

test("the listener waits for the configuration of a module over ECDS", () => {
  expect(http([fakeExtension("one")])).toEqual([
    {
      name: "extensions.istio.io/wasmplugin/shop.one",
      configDiscovery: {
        configSource: { ads: {}, initialFetchTimeout: "0s", resourceApiVersion: "V3" },
        typeUrls: ["wasm.v3.Wasm", "rbac.v3.RBAC"].map(
          (type) => `type.googleapis.com/envoy.extensions.filters.http.${type}`,
        ),
      },
    },
  ]);
});

test("a module for connections is a network filter, not an HTTP filter", () => {
  const extension = fakeExtension("one", { filter: fakeModule({ layer: "network" }) });
  expect(http([extension])).toEqual([]);
  const typeUrls = ["wasm.v3.Wasm", "rbac.v3.RBAC"].map(
    (type) => `type.googleapis.com/envoy.extensions.filters.network.${type}`,
  );
  expect(network([extension])).toMatchObject([{ name: extension.resourceName, configDiscovery: { typeUrls } }]);
  expect(network([fakeExtension("two")])).toEqual([]);
});

test("connections that end in the proxy pass no extension", () => {
  const extension = fakeExtension("one", { filter: fakeModule({ layer: "network" }) });
  expect(network([extension], all, "http")).toHaveLength(1);
  expect(network([extension], all, "nothing")).toEqual([]);
});

test("a script is part of the listener", () => {
  const extension = fakeExtension("one", { filter: { type: "lua", code: "-- one" } });
  expect(http([extension])).toMatchObject([{ typedConfig: { defaultSourceCode: { inlineString: "-- one" } } }]);
});

const deny = { rules: {}, rulesStatPrefix: "wasm-default-deny" };
const allow = { rulesStatPrefix: "wasm-default-allow" };

test.each<[string, Extension["filter"], object]>([
  ["rejects all requests", fakeModule(), deny],
  ["rejects all requests, although it would reload the module", fakeModule({ failStrategy: "reload" }), deny],
  ["lets requests pass with FAIL_OPEN", fakeModule({ failStrategy: "open" }), allow],
  ["rejects all requests instead of running a script", { type: "lua", code: "-- one" }, deny],
])("a proxy without the filter %s", (_, filter, config) => {
  const type = "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC";
  expect(http([fakeExtension("one", { filter })], none)).toEqual([
    { name: "extensions.istio.io/wasmplugin/shop.one", typedConfig: { "@type": type, ...config } },
  ]);
});

test("a proxy without the network filter rejects all connections", () => {
  const extension = fakeExtension("one", { filter: fakeModule({ layer: "network" }) });
  const type = "type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC";
  expect(network([extension], none)).toEqual([
    { name: extension.resourceName, typedConfig: { "@type": type, rules: {}, statPrefix: "wasm-default-deny" } },
  ]);
});
