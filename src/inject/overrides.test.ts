import { describe, expect, test } from "vitest";
import { containerOf, injectedPod, podYaml, variableOf } from "../testing/config/injection.ts";

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
});
