import { expect, test } from "vitest";
import { containerOf, injectedPod } from "../../testing/config/injection.ts";

test("a gateway consists of the user's istio-proxy container alone", () => {
  const injected = injectedPod(`
apiVersion: v1
kind: Pod
metadata: {name: gw-0, namespace: istio-system, annotations: {inject.istio.io/templates: gateway}}
spec: {containers: [{name: istio-proxy, image: auto, ports: [{containerPort: 8443}]}]}
`);
  expect(injected.spec.containers.map(({ name }) => name)).toEqual(["istio-proxy"]);
  expect(injected.spec.initContainers).toBeUndefined();
  const gateway = containerOf(injected, "istio-proxy");
  expect(gateway.image).toBe("istio/proxyv2:1.29.6");
  expect(gateway["args"]).toEqual(expect.arrayContaining(["proxy", "router"]));
  expect(gateway.ports).toEqual([
    { containerPort: 8443 },
    { containerPort: 15_090, protocol: "TCP", name: "http-envoy-prom" },
  ]);
  expect(injected.spec["securityContext"]).toEqual({
    sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }],
  });
});
