import { describe, expect, test } from "vitest";
import { containerOf, injectedPod, injectValue, injectYaml, podYaml, variableOf } from "../testing/config/injection.ts";

describe("the user's own istio-proxy container", () => {
  const own =
    "{name: istio-proxy, image: auto, resources: {limits: {cpu: '3'}}, env: [{name: MINE, value: x}], securityContext: {runAsUser: 4000}}";
  const yaml = `${podYaml()}  - ${own}\n`;
  const injected = injectedPod(yaml);

  test("customises the injected one", () => {
    const proxy = containerOf(injected, "istio-proxy");
    expect(proxy.image).toBe("istio/proxyv2:1.29.6");
    expect(proxy["resources"]).toEqual({
      limits: { cpu: "3", memory: "1Gi" },
      requests: { cpu: "100m", memory: "128Mi" },
    });
    expect(variableOf(injected, "MINE")).toEqual({ name: "MINE", value: "x" });
    expect(variableOf(injected, "CA_ADDR")).toBeDefined();
  });

  test("gives its user id to the redirection", () => {
    expect(containerOf(injected, "istio-init")["args"]).toEqual(expect.arrayContaining(["-u", "4000"]));
  });

  test("is remembered for the next injection, without its image", () => {
    const overrides = injected.metadata.annotations?.["proxy.istio.io/overrides"] ?? "";
    expect(JSON.parse(overrides)).toEqual({
      containers: [
        {
          name: "istio-proxy",
          resources: { limits: { cpu: "3" } },
          env: [{ name: "MINE", value: "x" }],
          securityContext: { runAsUser: 4000 },
        },
      ],
    });
  });

  test("moves with a native sidecar", () => {
    const native = injectedPod(yaml, { native: true });
    expect(native.spec.containers.map(({ name }) => name)).toEqual(["web"]);
    expect(containerOf(native, "istio-proxy")["resources"]).toMatchObject({ limits: { cpu: "3" } });
  });

  test("keeps an image of its own, and the fields of an own istio-init container", () => {
    const init = "initContainers: [{name: istio-init, image: own/init:1, resources: {limits: {cpu: '4'}}}]";
    const own = injectedPod(`${podYaml({ spec: init })}  - {name: istio-proxy, image: own/proxy:1}\n`);
    expect(containerOf(own, "istio-proxy").image).toBe("own/proxy:1");
    expect(containerOf(own, "istio-init")).toMatchObject({ image: "own/init:1", resources: { limits: { cpu: "4" } } });
    const again = injectValue(own, { discoveryAddress: "b:1" }).value as typeof own;
    expect(containerOf(again, "istio-proxy").image).toBe("own/proxy:1");
    expect(containerOf(again, "istio-init").image).toBe("own/init:1");
    expect(JSON.parse(again.metadata.annotations?.["proxy.istio.io/overrides"] ?? "")).toEqual({
      containers: [{ name: "istio-proxy", image: "own/proxy:1" }],
      initContainers: [{ name: "istio-init", image: "own/init:1", resources: { limits: { cpu: "4" } } }],
    });
  });

  test("does not replace the probers that the injection adds, nor on the next injection", () => {
    const probe = "readinessProbe: {httpGet: {port: 8080}}";
    const env = `[{name: ISTIO_KUBE_APP_PROBERS, value: '{"/app-health/x/readyz":{"httpGet":{"port":1}}}'}]`;
    const own = injectedPod(`${podYaml({ container: probe })}  - {name: istio-proxy, image: auto, env: ${env}}\n`);
    const paths = (pod: typeof own) =>
      Object.keys(JSON.parse(String(variableOf(pod, "ISTIO_KUBE_APP_PROBERS")?.["value"])));
    expect(paths(own)).toEqual(["/app-health/web/readyz", "/app-health/x/readyz"]);
    expect(paths(injectValue(own).value as typeof own)).toEqual(["/app-health/web/readyz", "/app-health/x/readyz"]);
  });

  test.each([
    ["no JSON", "{", "expected a JSON object"],
    ["a list", "[]", "expected a JSON object"],
    ["a container without a name", '{"containers":[{}]}', "containers[0].name: expected a text"],
  ])("is refused if it is remembered as %s", (_what, remembered, problem) => {
    const { outcomes } = injectYaml(podYaml({ annotations: `proxy.istio.io/overrides: '${remembered}'` }));
    expect(outcomes).toMatchObject([{ type: "failed", messages: [`annotation proxy.istio.io/overrides: ${problem}`] }]);
  });
});
