import { expect, test } from "vitest";
import { capabilitiesId, capabilitiesOf } from "./capabilities.ts";

test("a proxy can do what its extensions say, however they are written, and nothing more", () => {
  const bare = "istio.envoy.config.filter.http.alpn.v2alpha1.FilterConfig";
  expect(capabilitiesOf(new Set([bare, "envoy.extensions.filters.http.router.v3.Router"]))).toEqual({
    alpn: true,
    httpPeerMetadata: false,
    tcpMetadataExchange: false,
  });
  expect(capabilitiesOf(new Set([`type.googleapis.com/${bare}`])).alpn).toBe(true);
});

test("equal capabilities have equal ids", () => {
  expect(capabilitiesId(capabilitiesOf(new Set()))).toBe("");
  const both = new Set(["io.istio.http.peer_metadata.Config", "envoy.tcp.metadataexchange.config.MetadataExchange"]);
  expect(capabilitiesId(capabilitiesOf(both))).toBe("httpPeerMetadata+tcpMetadataExchange");
});
