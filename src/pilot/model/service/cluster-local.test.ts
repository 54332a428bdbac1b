import { expect, test } from "vitest";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { defaultMeshSettings } from "../mesh-settings.ts";
import { isClusterLocal } from "./cluster-local.ts";

const kubernetes = { registry: "Kubernetes" } as const;
const dns = fakeService({ ...kubernetes, namespace: "kube-system", hostname: "kube-dns.kube-system.svc.local" });
const api = fakeService({ ...kubernetes, namespace: "default", hostname: "kubernetes.default.svc.local" });
const control = fakeService({ ...kubernetes, namespace: "istio-system", hostname: "istiod.istio-system.svc.local" });
const shop = fakeService({ ...kubernetes, namespace: "default", hostname: "shop.default.svc.local" });

const localHosts = (...hosts: readonly string[]) => hosts.map((host) => ({ host, isLocal: true }));
const sharedHosts = (...hosts: readonly string[]) => hosts.map((host) => ({ host, isLocal: false }));

test.each([
  ["without settings", [], ["dns", "api", "control"]],
  ["with a local host", localHosts("shop.default.svc.local"), ["dns", "api", "control", "shop"]],
  ["with a wider shared host", sharedHosts("*.svc.local"), ["dns", "api", "control"]],
  ["with the same shared hosts", sharedHosts("*.kube-system.svc.local", "kubernetes.default.svc.local"), ["control"]],
  ["with the shared control plane", sharedHosts("istiod.istio-system.svc.local"), ["dns", "api"]],
  ["with a shared host within kube-system", sharedHosts("other.kube-system.svc.local"), ["api", "control"]],
  ["with everything local", localHosts("*"), ["dns", "api", "control", "shop"]],
])("%s, these services are local to a cluster", (_, clusterLocal, expected) => {
  const services = Object.entries({ dns, api, control, shop });
  const local = services.filter(([, service]) => isClusterLocal(service, { ...defaultMeshSettings, clusterLocal }));
  expect(local.map(([name]) => name)).toEqual(expected);
});

test("a service of another registry in kube-system is not local by itself", () => {
  expect(isClusterLocal({ ...dns, registry: "External" }, defaultMeshSettings)).toBe(false);
});

test.each([
  ["istiod.istio-system.svc", true],
  ["istiod.istio-system.svc.local", true],
  ["istiod.istio-system", false],
  ["mesh.example.com", false],
])("with the discovery host %s, the control plane is local: %s", (discoveryHost, expected) => {
  expect(isClusterLocal(control, { ...defaultMeshSettings, discoveryHost })).toBe(expected);
});
