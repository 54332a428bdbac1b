import { expect, test } from "vitest";
import { kinds } from "../../config/kinds.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { unobservedGalleys } from "../mcp/remote-galleys.ts";
import { defaultOptions } from "../options/options.ts";
import { parseSourceUrl } from "./source-url.ts";
import { xdsSource } from "./xds.ts";

function sourceOf(url: string) {
  const tools = { kinds, clock: new FakeClock(), options: defaultOptions(), galleys: unobservedGalleys() };
  return xdsSource(parseSourceUrl(url), tools);
}

test("a remote control plane fills the collections of Istio's kinds and of services, not those of Kubernetes", () => {
  const { name, collections } = sourceOf("xds://istiod:15010?delta=on&synthetic=on&resync=5s&revision=canary");
  expect(name).toBe("xds://istiod:15010?delta=on&synthetic=on&resync=5s&revision=canary");
  expect(collections).toEqual(
    expect.arrayContaining(["k8s/networking.istio.io/v1alpha3/gateways", "istio/mesh/v1alpha1/MeshConfig"]),
  );
  expect(collections.filter((collection) => collection.startsWith("k8s/core/"))).toEqual([]);
});

test.each(["xds://istiod", "xds://[::1]:15010", "xdss://istiod:15012?ca=a.pem&cert=b.pem&key=c.pem"])(
  "%s is accepted",
  (url) => {
    expect(sourceOf(url).name).toBe(url);
  },
);

test.each([
  ["xds:istiod:15010", "expected xds://HOST:PORT"],
  ["xds://istiod:15010?ca=a.pem", "ca= needs xdss:"],
  ["xdss://istiod:15012?cert=a.pem", "cert= and key= must be set together"],
  ["xds://istiod:15010?resync=often", "after resync="],
  ["xds://istiod:15010?incremental=on", "unknown setting incremental"],
])("%s is refused", (url, problem) => {
  expect(() => sourceOf(url)).toThrow(problem);
});
