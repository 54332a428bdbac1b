import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { canonicalKey } from "../../../lib/canonical-key.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import { defaultProxySettings } from "../../model/proxy/proxy-settings.ts";
import { defaultListenerSettings, idleTimeoutOf, listenerSettingsOf } from "./listener-settings.ts";

function settingsOf(metadata: JsonObject = {}, mesh = defaultMeshSettings) {
  return listenerSettingsOf(proxyWithName("sidecar~10.0.0.1~a-0.shop~shop.svc.cluster.local", metadata), mesh);
}

describe("the listener settings of an Envoy", () => {
  test("are the defaults without metadata", () => {
    expect(settingsOf()).toEqual(defaultListenerSettings);
  });

  test("come from the mesh, or from the proxy's agent", () => {
    const topology = { ...defaultProxySettings.topology, trustedProxies: 3 };
    const mesh = { ...defaultMeshSettings, proxy: { ...defaultProxySettings, topology } };
    expect(settingsOf({}, mesh).proxy).toBe(mesh.proxy);
    expect(settingsOf({ PROXY_CONFIG: {} }, mesh).proxy).toBe(mesh.proxy);
    expect(settingsOf({ PROXY_CONFIG: { concurrency: 1 } }, mesh).proxy.topology.trustedProxies).toBe(0);
  });

  test.each(["1", "true", "TRUE", "t"])("enable HTTP/1.0 with HTTP10: %s", (value) => {
    expect(settingsOf({ HTTP10: value }).http10).toBe(true);
    expect(settingsOf({ HTTP10: "0" }).http10).toBe(false);
    expect(settingsOf({ HTTP10: "yes" }).http10).toBe(false);
  });

  test.each([
    ["1h30m", { seconds: 5400n, nanos: 0 }],
    ["1.5s", { seconds: 1n, nanos: 500_000_000 }],
    ["0s", undefined],
    ["soon", undefined],
    ["-1s", undefined],
  ])("close idle connections after IDLE_TIMEOUT: %s", (text, duration) => {
    expect(idleTimeoutOf(settingsOf({ IDLE_TIMEOUT: text }))).toEqual(duration);
  });

  test("balance connections exactly, by direction", () => {
    expect(settingsOf({ INBOUND_LISTENER_EXACT_BALANCE: "true" }).balances).toEqual({ inbound: true, outbound: false });
    expect(settingsOf({ OUTBOUND_LISTENER_EXACT_BALANCE: true }).balances).toEqual({ inbound: false, outbound: true });
  });

  test("bind both families if the proxy has both and enables this", () => {
    const both = { INSTANCE_IPS: "10.0.0.1,2001:db8::1" };
    expect(settingsOf({ ...both, ISTIO_DUAL_STACK: "true" }).dualStack).toBe(true);
    expect(settingsOf(both).dualStack).toBe(false);
    expect(settingsOf({ ISTIO_DUAL_STACK: "true" }).dualStack).toBe(false);
  });

  test("have their own key for every difference", () => {
    const variants: readonly JsonObject[] = [
      {},
      { HTTP10: "1" },
      { IDLE_TIMEOUT: "1s" },
      { INBOUND_LISTENER_EXACT_BALANCE: "true" },
      { OUTBOUND_LISTENER_EXACT_BALANCE: "true" },
      { INSTANCE_IPS: "10.0.0.1,2001:db8::1", ISTIO_DUAL_STACK: "true" },
      { PROXY_CONFIG: { proxyHeaders: { server: { disabled: true } } } },
    ];
    const keys = variants.map((metadata) => canonicalKey(settingsOf(metadata)));
    expect(new Set(keys).size).toBe(variants.length);
  });
});
