import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeExtension, fakeModule } from "../../../testing/model/fake-extension.ts";
import type { Extension, WasmModule } from "../../model/policy/extension.ts";
import { buildExtensionConfig } from "./build-extension-config.ts";

const writer = new ProtoWriter();

function configOf(filter: Extension["filter"], fetches = true): JsonObject | undefined {
  const resource = buildExtensionConfig(fakeExtension("one", { filter }), { fetches }, writer);
  return resource && decodedResource(resource);
}

const remote: WasmModule["code"] = { type: "remote", url: "oci://hub.example.com/one", sha256: "ab" };

test("a module from a file is loaded by the proxy, in every kind of proxy", () => {
  const expected = { typedConfig: { config: { vmConfig: { code: { local: { filename: "/opt/one.wasm" } } } } } };
  expect(configOf(fakeModule())).toMatchObject(expected);
  expect(configOf(fakeModule(), false)).toMatchObject(expected);
});

test("the agent gets the URL, the checksum and the pull settings of a remote module", () => {
  const pull = { policy: "Always", secret: "secret", version: "7" } as const;
  expect(configOf(fakeModule({ code: remote, pull, environment: { A: "1" }, hostVariables: ["B"] }))).toMatchObject({
    typedConfig: {
      config: {
        vmConfig: {
          runtime: "envoy.wasm.runtime.v8",
          code: {
            remote: { sha256: "ab", httpUri: { uri: "oci://hub.example.com/one", cluster: "_", timeout: "30s" } },
          },
          environmentVariables: {
            hostEnvKeys: ["B"],
            keyValues: {
              A: "1",
              ISTIO_META_WASM_IMAGE_PULL_POLICY: "Always",
              ISTIO_META_WASM_IMAGE_PULL_SECRET: "",
              ISTIO_META_WASM_PLUGIN_RESOURCE_VERSION: "7",
            },
          },
        },
      },
    },
  });
});

test.each([
  ["rejects all requests", "close", { rules: {}, rulesStatPrefix: "wasm-default-deny" }],
  ["lets requests pass with FAIL_OPEN", "open", { rulesStatPrefix: "wasm-default-allow" }],
] as const)("an Envoy without an agent %s instead of running a remote module", (_, failStrategy, config) => {
  const type = "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC";
  expect(configOf(fakeModule({ code: remote, failStrategy }), false)).toEqual({
    name: "extensions.istio.io/wasmplugin/shop.one",
    typedConfig: { "@type": type, ...config },
  });
});

test.each([
  ["close", "FAIL_CLOSED"],
  ["open", "FAIL_OPEN"],
  ["reload", "FAIL_RELOAD"],
] as const)("the failure strategy %s is %s", (failStrategy, failurePolicy) => {
  expect(configOf(fakeModule({ failStrategy }))).toMatchObject({ typedConfig: { config: { failurePolicy } } });
});

test("the plugin gets its configuration as a JSON text", () => {
  expect(configOf(fakeModule({ configuration: '{"a":1}', rootId: "root" }))).toMatchObject({
    typedConfig: { config: { rootId: "root", name: "shop.one", configuration: { value: '{"a":1}' } } },
  });
});

test("a script has no resource of its own", () => {
  expect(configOf({ type: "lua", code: "-- one" })).toBeUndefined();
});
