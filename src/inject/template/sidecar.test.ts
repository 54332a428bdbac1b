import { expect, test } from "vitest";
import { containerOf, injectedPod, podYaml } from "../../testing/config/injection.ts";

test("a native sidecar is an init container before those of the user, and drains before it stops", () => {
  const injected = injectedPod(podYaml({ spec: "initContainers: [{name: migrate, image: shop/migrate}]" }), {
    native: true,
  });
  expect(injected.spec.containers.map(({ name }) => name)).toEqual(["web"]);
  expect(injected.spec.initContainers?.map(({ name }) => name)).toEqual(["istio-init", "istio-proxy", "migrate"]);
  const { restartPolicy, lifecycle } = containerOf(injected, "istio-proxy");
  expect(restartPolicy).toBe("Always");
  expect(lifecycle).toEqual({
    preStop: { exec: { command: ["pilot-agent", "request", "--debug-port=15020", "POST", "drain"] } },
  });
});

test.each([
  ["true", false, true],
  ["false", true, false],
])("the annotation nativeSidecar %s overrides the setting %j", (value, native, isNative) => {
  const injected = injectedPod(podYaml({ annotations: `sidecar.istio.io/nativeSidecar: '${value}'` }), { native });
  expect(injected.spec.initContainers?.some(({ name }) => name === "istio-proxy")).toBe(isNative);
});

test("a proxy that holds the application is the first container, and blocks the next one", () => {
  const annotations = "proxy.istio.io/config: '{holdApplicationUntilProxyStarts: true}'";
  const injected = injectedPod(podYaml({ annotations }));
  expect(injected.spec.containers.map(({ name }) => name)).toEqual(["istio-proxy", "web"]);
  expect(injected.spec.containers[0]?.["lifecycle"]).toEqual({
    postStart: { exec: { command: ["pilot-agent", "wait"] } },
  });
});
