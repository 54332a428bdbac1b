import { expect, test } from "vitest";
import { type InjectionChoices, injectedPod, podYaml, variableOf } from "../../testing/config/injection.ts";

const settingRows: readonly (readonly [string, InjectionChoices, string, unknown])[] = [
  ["a revision", { revision: "canary" }, "CA_ADDR", "istiod-canary.istio-system.svc:15012"],
  ["a discovery address", { discoveryAddress: "binnacle.mesh:15012" }, "CA_ADDR", "binnacle.mesh:15012"],
  ["an authority of its own", { caAddress: "ca.mesh:443" }, "CA_ADDR", "ca.mesh:443"],
  ["a cluster", { cluster: "east" }, "ISTIO_META_CLUSTER_ID", "east"],
  ["a network", { network: "n1" }, "ISTIO_META_NETWORK", "n1"],
  ["a mesh id", { meshId: "m1" }, "ISTIO_META_MESH_ID", "m1"],
  ["a trust domain", { mesh: "trustDomain: corp.example" }, "TRUST_DOMAIN", "corp.example"],
  [
    "a variable",
    { mesh: "defaultConfig: {proxyMetadata: {ISTIO_META_DNS_CAPTURE: 'true'}}" },
    "ISTIO_META_DNS_CAPTURE",
    "true",
  ],
  ["no own values", {}, "ISTIO_META_OWNER", "kubernetes://apis/v1/namespaces/shop/pods/web-0"],
  ["a discovery address", { discoveryAddress: "b:1" }, "PROXY_CONFIG", '{"discoveryAddress":"b:1"}\n'],
  ["no own values", {}, "PROXY_CONFIG", "{}\n"],
  ["no own values", {}, "ISTIO_META_POD_PORTS", '[{"name":"http","containerPort":8080}]'],
  [
    "an inbound policy",
    { mesh: "inboundTrafficPolicy: {mode: LOCALHOST}" },
    "REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION",
    "true",
  ],
];

test.each(settingRows)("with %s %j the variable %s is %j", (_what, choices, name, value) => {
  expect(variableOf(injectedPod(podYaml(), choices), name)).toEqual({ name, value });
});
