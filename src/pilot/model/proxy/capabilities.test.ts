import { expect, test } from "vitest";
import { capabilitiesOf, filterCapabilitiesOf, isStock, takesVirtualHosts } from "./capabilities.ts";

test("a proxy has exactly the capabilities of its extensions, with or without a type URL prefix", () => {
  const bare = "istio.envoy.config.filter.http.alpn.v2alpha1.FilterConfig";
  expect(capabilitiesOf(new Set([bare, "envoy.extensions.filters.http.router.v3.Router"]))).toEqual({
    alpn: true,
    httpPeerMetadata: false,
    tcpMetadataExchange: false,
    stats: false,
  });
  expect(capabilitiesOf(new Set([`type.googleapis.com/${bare}`])).alpn).toBe(true);
});

test("an Envoy that lists extensions without Istio's is a stock Envoy", () => {
  const router = "envoy.extensions.filters.http.router.v3.Router";
  expect(isStock(new Set([router]))).toBe(true);
  expect(isStock(new Set([router, "io.istio.http.peer_metadata.Config"]))).toBe(false);
  expect(isStock(new Set())).toBe(false);
});

function running(extensions: readonly string[]) {
  const { httpWasm, networkWasm, lua } = filterCapabilitiesOf(new Set(extensions));
  return [httpWasm, networkWasm, lua];
}

test("a proxy runs modules and scripts if it lists their filters, or lists nothing", () => {
  expect(running([])).toEqual([true, true, true]);
  expect(running(["envoy.extensions.filters.http.router.v3.Router"])).toEqual([false, false, false]);
  expect(running(["type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm"])).toEqual([true, false, false]);
  expect(running(["envoy.extensions.filters.network.wasm.v3.Wasm"])).toEqual([false, true, false]);
  expect(running(["envoy.extensions.filters.http.lua.v3.Lua"])).toEqual([false, false, true]);
});

test.each([
  ["1.40.0", "", true],
  ["2.0.0", "", true],
  ["1.36.4", "", false],
  ["", "", false],
  ["1.40.0", "grpc", false],
])("an Envoy %s with generator %o takes virtual hosts as resources: %s", (build, generator, expected) => {
  expect(takesVirtualHosts({ build, generator })).toBe(expected);
});
