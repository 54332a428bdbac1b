import { describe, expect, test } from "vitest";
import type { TrafficExtension } from "#gen/istio/extensions/v1alpha1/traffic_extension_pb.js";
import type { WasmPlugin } from "#gen/istio/extensions/v1alpha1/wasm_pb.js";
import type { Config } from "../../../config/config.ts";
import { configIn } from "../../../testing/config/configs-in.ts";
import { trafficExtensionsOf, wasmPluginOf } from "./extension.ts";

function object(kind: string, spec: object): Config {
  const metadata = { name: "one", namespace: "shop" };
  return configIn(JSON.stringify({ apiVersion: "extensions.istio.io/v1alpha1", kind, metadata, spec }));
}

function plugin(spec: object) {
  return wasmPluginOf(object("WasmPlugin", spec) as Config<WasmPlugin>);
}

function extension(spec: object) {
  return trafficExtensionsOf(object("TrafficExtension", spec) as Config<TrafficExtension>)[0];
}

function versionOf(pluginName: string): string {
  const { filter } = plugin({ url: "oci://hub.example.com/one", imagePullPolicy: "Always", pluginName });
  return filter.type === "wasm" ? filter.pull.version : "";
}

describe("a WasmPlugin", () => {
  test("has its place, its traffic and its module", () => {
    const spec = {
      selector: { matchLabels: { app: "reviews" } },
      url: "https://example.com/one.wasm",
      sha256: "ab".repeat(32),
      phase: "AUTHZ",
      priority: 7,
      match: [{ mode: "SERVER", ports: [{ number: 80 }] }, {}],
      type: "NETWORK",
      failStrategy: "FAIL_OPEN",
      pluginName: "root",
      imagePullPolicy: "IfNotPresent",
      imagePullSecret: "secret",
      pluginConfig: { b: [{ d: 1, c: null }], a: true },
      vmConfig: {
        env: [
          { name: "A", value: "1" },
          { name: "B", valueFrom: "HOST" },
        ],
      },
    };
    expect(plugin(spec)).toMatchObject({
      owner: "WasmPlugin/shop/one",
      resourceName: "extensions.istio.io/wasmplugin/shop.one",
      selector: { app: "reviews" },
      phase: "authz",
      priority: 7,
      match: [
        { mode: "server", ports: [80] },
        { mode: "any", ports: [] },
      ],
      filter: {
        layer: "network",
        code: { type: "remote", url: "https://example.com/one.wasm", sha256: "ab".repeat(32) },
        pull: { policy: "IfNotPresent", secret: "Secret/shop/secret", version: "" },
        configuration: '{"a":true,"b":[{"c":null,"d":1}]}',
        rootId: "root",
        failStrategy: "open",
        environment: { A: "1" },
        hostVariables: ["B"],
      },
    });
  });

  test("handles requests, has no phase and fails closed unless it says otherwise", () => {
    expect(plugin({ url: "file:///opt/one.wasm" })).toMatchObject({
      phase: "unspecified",
      priority: undefined,
      match: [],
      filter: { layer: "http", failStrategy: "close", configuration: undefined },
    });
  });

  test.each([
    ["file:///opt/one.wasm", { type: "file", path: "/opt/one.wasm" }],
    ["oci://hub.example.com/one:v1", { type: "remote", url: "oci://hub.example.com/one:v1", sha256: "" }],
    ["hub.example.com/one:v1", { type: "remote", url: "oci://hub.example.com/one:v1", sha256: "" }],
  ])("with the URL %s", (url, code) => {
    expect(plugin({ url }).filter).toMatchObject({ code });
  });

  test("that is always pulled tells agents when its object changes", () => {
    const versions = ["a", "a", "b"].map(versionOf);
    expect(versions[0]).toMatch(/./u);
    expect(versions[1]).toBe(versions[0]);
    expect(versions[2]).not.toBe(versions[0]);
  });
});

describe("a TrafficExtension", () => {
  test("is a script", () => {
    expect(extension({ phase: "STATS", lua: { inlineCode: "-- a" } })).toMatchObject({
      owner: "TrafficExtension/shop/one",
      resourceName: "extensions.istio.io/trafficextension/shop.one",
      phase: "stats",
      filter: { type: "lua", code: "-- a" },
    });
  });

  test("is a module, like a WasmPlugin", () => {
    const wasm = { url: "oci://hub.example.com/one", pluginConfig: { a: 1 }, failStrategy: "FAIL_RELOAD" };
    expect(extension({ wasm })?.filter).toEqual(plugin(wasm).filter);
  });
});
