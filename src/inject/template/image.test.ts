import { expect, test } from "vitest";
import { containerOf, type InjectionChoices, injectedPod, podYaml } from "../../testing/config/injection.ts";

const imageRows: readonly (readonly [string, InjectionChoices, string])[] = [
  ["", {}, "istio/proxyv2:1.29.6"],
  ["sidecar.istio.io/proxyImageType: distroless", {}, "istio/proxyv2:1.29.6-distroless"],
  ["sidecar.istio.io/proxyImage: corp/proxy:1", {}, "corp/proxy:1"],
  ["proxy.istio.io/config: '{image: {imageType: debug}}'", {}, "istio/proxyv2:1.29.6-debug"],
];

test.each(imageRows)("the annotation %j and the settings %j select the image %s", (annotations, choices, image) => {
  expect(containerOf(injectedPod(podYaml({ annotations }), choices), "istio-proxy").image).toBe(image);
});

test("resources in annotations replace all default resources", () => {
  const annotations = "sidecar.istio.io/proxyCPU: 50m, sidecar.istio.io/proxyMemoryLimit: 1Gi";
  const injected = injectedPod(podYaml({ annotations }));
  const resources = { requests: { cpu: "50m" }, limits: { memory: "1Gi" } };
  expect(containerOf(injected, "istio-proxy")["resources"]).toEqual(resources);
  expect(containerOf(injected, "istio-init")["resources"]).toEqual(resources);
});
