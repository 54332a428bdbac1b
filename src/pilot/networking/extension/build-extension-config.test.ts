import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { isMapping } from "../../../lib/is-mapping.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeCredential } from "../../../testing/model/fake-credential.ts";
import { fakeExtension, fakeModule } from "../../../testing/model/fake-extension.ts";
import type { Extension, WasmModule } from "../../model/policy/extension.ts";
import type { PullSecret } from "../../model/policy/pull-secret.ts";
import { buildExtensionConfig } from "./build-extension-config.ts";

const writer = new ProtoWriter();

const none: PullSecret = { type: "none" };

function configOf(filter: Extension["filter"], fetches = true, pull = none): JsonObject | undefined {
  const resource = buildExtensionConfig(fakeExtension("one", { filter }), { fetches }, pull, writer);
  return resource && decodedResource(resource);
}

/** The environment of the module. */
function variablesOf(config: JsonObject | undefined): unknown {
  return config && valueAt(config, ["typedConfig", "config", "vmConfig", "environmentVariables", "keyValues"]);
}

function valueAt(json: unknown, [first, ...rest]: readonly string[]): unknown {
  return first === undefined ? json : valueAt(isMapping(json) ? json[first] : undefined, rest);
}

const remote: WasmModule["code"] = { type: "remote", url: "oci://hub.example.com/one", sha256: "ab" };

test("a module from a file is loaded by the proxy, in every kind of proxy", () => {
  const expected = { typedConfig: { config: { vmConfig: { code: { local: { filename: "/opt/one.wasm" } } } } } };
  expect(configOf(fakeModule())).toMatchObject(expected);
  expect(configOf(fakeModule(), false)).toMatchObject(expected);
});

test("the agent gets the URL, the checksum and the pull settings of a remote module", () => {
  const pull = { policy: "Always", secret: undefined, version: "7" } as const;
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

const login = '{"auths":{"hub.example.com":{"auth":"dTpw"}}}';
const served: PullSecret = {
  type: "served",
  credential: fakeCredential("shop/regcred", { pullConfig: login }),
};

test("the agent gets the content of the pull secret, and an empty one if the proxy may not have it", () => {
  const module = fakeModule({ code: remote });
  const variables = (pull: PullSecret) => variablesOf(configOf(module, true, pull));
  expect(variables(served)).toHaveProperty("ISTIO_META_WASM_IMAGE_PULL_SECRET", login);
  expect(variables({ type: "withheld", cause: "" })).toHaveProperty("ISTIO_META_WASM_IMAGE_PULL_SECRET", "");
  expect(variables(none)).not.toHaveProperty("ISTIO_META_WASM_IMAGE_PULL_SECRET");
});

test("an Envoy without an agent gets no pull secret", () => {
  expect(JSON.stringify(configOf(fakeModule({ code: remote }), false, served))).not.toContain("hub.example.com");
});

test("a script has no resource of its own", () => {
  expect(configOf({ type: "lua", code: "-- one" })).toBeUndefined();
});
