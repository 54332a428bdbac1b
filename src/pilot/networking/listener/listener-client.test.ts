import { expect, test } from "vitest";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import { listenerClientOf, mayListen } from "./listener-client.ts";

const metricsPort = 16_000;

test.each([
  "ENVOY_STATUS_PORT",
  "ENVOY_PROMETHEUS_PORT",
  "ENVOY_SECURE_METRICS_PORT",
  "ENVOY_SECURE_MERGED_METRICS_PORT",
])("no sidecar listens on all addresses of the port that its agent reserves with %s", (key) => {
  const may = (port: number, bind: string) => {
    const proxy = proxyWithName("sidecar~10.0.0.1~a-0.shop~shop.svc.cluster.local", { [key]: metricsPort });
    const client = listenerClientOf(proxy, defaultMeshSettings);
    return mayListen(client, { bind, port, protocol: "HTTP", bound: false });
  };
  expect([may(metricsPort, ""), may(metricsPort, "0.0.0.0")]).toEqual([false, false]);
  expect([may(metricsPort, "10.0.0.1"), may(metricsPort + 1, "")]).toEqual([true, true]);
});
