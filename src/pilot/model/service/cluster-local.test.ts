import { expect, test } from "vitest";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { isClusterLocal } from "./cluster-local.ts";

const kubernetes = { registry: "Kubernetes" } as const;
const dns = fakeService({ ...kubernetes, namespace: "kube-system", hostname: "kube-dns.kube-system.svc.local" });
const api = fakeService({ ...kubernetes, namespace: "default", hostname: "kubernetes.default.svc.local" });
const shop = fakeService({ ...kubernetes, namespace: "default", hostname: "shop.default.svc.local" });

const localHosts = (...hosts: readonly string[]) => hosts.map((host) => ({ host, isLocal: true }));
const sharedHosts = (...hosts: readonly string[]) => hosts.map((host) => ({ host, isLocal: false }));

test.each([
  ["without settings", [], ["dns", "api"]],
  ["with a local host", localHosts("shop.default.svc.local"), ["dns", "api", "shop"]],
  ["with a wider shared host", sharedHosts("*.svc.local"), ["dns", "api"]],
  ["with the same shared hosts", sharedHosts("*.kube-system.svc.local", "kubernetes.default.svc.local"), []],
  ["with a shared host within kube-system", sharedHosts("other.kube-system.svc.local"), ["api"]],
  ["with everything local", localHosts("*"), ["dns", "api", "shop"]],
])("%s, these services are local to a cluster", (_, clusterLocal, expected) => {
  const services = Object.entries({ dns, api, shop });
  const local = services.filter(([, service]) => isClusterLocal(service, { clusterLocal }));
  expect(local.map(([name]) => name)).toEqual(expected);
});

test("a service of another registry in kube-system is not local by itself", () => {
  expect(isClusterLocal({ ...dns, registry: "External" }, { clusterLocal: [] })).toBe(false);
});
