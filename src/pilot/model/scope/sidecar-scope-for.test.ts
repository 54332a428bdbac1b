import { describe, expect, test } from "vitest";
import type { Labels } from "../../../config/config.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeVirtualService, forwardTo } from "../../../testing/model/traffic.ts";
import { fakeSidecar } from "../../../testing/model/workload.ts";
import type { EgressListener, HostImport, Sidecar } from "./sidecar.ts";
import { scopeRefOf, sidecarScopeFor } from "./sidecar-scope-for.ts";

const http = { number: 80, name: "http", protocol: "HTTP", targetPort: 80 } as const;
const admin = { number: 81, name: "admin", protocol: "HTTP", targetPort: 81 } as const;
const cart = fakeService({ hostname: "cart.shop", namespace: "shop", ports: [http, admin] });
const pay = fakeService({ hostname: "pay.bank", namespace: "bank" });
const web = fakeService({ hostname: "web.web", namespace: "web" });
const services = [cart, pay, web];

function importing(...texts: readonly string[]): EgressListener {
  return { port: undefined, bind: "", captureMode: "default", hosts: texts.map(hostImport) };
}

function hostImport(text: string): HostImport {
  const [namespace = "", hostname = ""] = text.replace(/^!/u, "").split("/");
  return { namespace, hostname, excluded: text.startsWith("!") };
}

function scopeWith(...egress: readonly EgressListener[]) {
  const push = pushOf({ services, sidecars: [fakeSidecar({ namespace: "web", name: "s", egress })] });
  return sidecarScopeFor({ namespace: "web", sidecar: "web/s" }, push);
}

function listFor(namespace: string, push: ReturnType<typeof pushOf>) {
  return sidecarScopeFor({ namespace, sidecar: "" }, push).egress[0]?.services;
}

function hostnames(...egress: readonly EgressListener[]): readonly string[] {
  return scopeWith(...egress).services.map(({ hostname }) => hostname);
}

function choose(labels: Labels, ...sidecars: readonly Sidecar[]): string {
  return scopeRefOf({ namespace: "web", labels }, pushOf({ sidecars })).sidecar;
}

describe("the Sidecar that applies to a workload", () => {
  const all = fakeSidecar({ namespace: "web", name: "all" });
  const selecting = fakeSidecar({ namespace: "web", name: "selecting", selector: { app: "web" }, createdAt: 5 });
  const root = fakeSidecar({ namespace: "istio-system", name: "root" });

  test("is the one that selects it, else the namespace's, else the root namespace's, else none", () => {
    expect(choose({ app: "web" }, all, selecting, root)).toBe("web/selecting");
    expect(choose({ app: "other" }, all, selecting, root)).toBe("web/all");
    expect(choose({ app: "other" }, selecting, root)).toBe("istio-system/root");
    expect(choose({ app: "other" }, selecting)).toBe("");
  });

  test("is the oldest of several", () => {
    const older = fakeSidecar({ namespace: "web", name: "z", selector: { app: "web" }, createdAt: 1 });
    expect(choose({ app: "web" }, selecting, older)).toBe("web/z");
  });

  test("of the root namespace does not select by labels", () => {
    expect(choose({ app: "web" }, fakeSidecar({ namespace: "istio-system", selector: { app: "web" } }))).toBe("");
  });
});

describe("a workload's scope", () => {
  test("holds everything that is exported to it when no Sidecar narrows it", () => {
    const scope = sidecarScopeFor({ namespace: "web", sidecar: "" }, pushOf({ services }));
    expect(scope.services.map(({ hostname }) => hostname)).toEqual(["cart.shop", "pay.bank", "web.web"]);
    expect(scope.egress).toHaveLength(1);
    expect(scope.outboundPolicy.mode).toBe("allow-any");
  });

  test("holds what the listeners import, by namespace and host", () => {
    expect(hostnames(importing("./*"))).toEqual(["web.web"]);
    expect(hostnames(importing("bank/*", "*/cart.shop"))).toEqual(["cart.shop", "pay.bank"]);
    expect(hostnames(importing("*/*.bank"))).toEqual(["pay.bank"]);
  });

  test("omits excluded services in any order", () => {
    expect(hostnames(importing("!bank/*", "*/*"))).toEqual(["cart.shop", "web.web"]);
    expect(hostnames(importing("*/*", "!*/cart.shop"))).toEqual(["pay.bank", "web.web"]);
  });

  test("has only the port of a listener with a port, and the ports of all listeners that import a service", () => {
    const port80 = { ...importing("*/*"), port: { number: 80, name: "http", protocol: "HTTP" } } as const;
    const port81 = { ...importing("*/*"), port: { number: 81, name: "admin", protocol: "HTTP" } } as const;
    expect(scopeWith(port81).services.map((service) => [service.hostname, service.ports])).toEqual([
      ["cart.shop", [admin]],
    ]);
    expect(scopeWith(port81, port80).service("cart.shop")?.ports).toEqual([admin, http]);
  });

  test("takes a hostname from its own namespace first", () => {
    const own = fakeService({ hostname: "cart.shop", namespace: "web", createdAt: 9 });
    const scope = sidecarScopeFor({ namespace: "web", sidecar: "" }, pushOf({ services: [cart, own] }));
    expect(scope.service("cart.shop")).toBe(own);
  });

  test("also holds services that imported virtual services route to, for clusters but not for listeners", () => {
    const virtualServices = [
      fakeVirtualService({
        namespace: "web",
        hosts: ["web.web"],
        gateways: ["mesh"],
        http: [forwardTo("pay.bank", 80)],
      }),
    ];
    const sidecars = [fakeSidecar({ namespace: "web", name: "s", egress: [importing("./*")] })];
    const scope = sidecarScopeFor(
      { namespace: "web", sidecar: "web/s" },
      pushOf({ services, sidecars, virtualServices }),
    );
    expect(scope.services.map(({ hostname }) => hostname)).toEqual(["pay.bank", "web.web"]);
    expect(scope.egress[0]?.services.map(({ hostname }) => hostname)).toEqual(["web.web"]);
  });

  test("shares its list of services with namespaces that import the same, and with no others", () => {
    const same = pushOf({ services });
    expect(listFor("web", same)).toBe(listFor("bank", same));
    const own = fakeService({ hostname: cart.hostname, namespace: "web", createdAt: 1 });
    const rivals = pushOf({ services: [...services, own] });
    expect(listFor("web", rivals)).toContain(own);
    expect(listFor("bank", rivals)).not.toContain(own);
    const hidden = pushOf({ services: [...services, { ...own, hostname: "own.web", exportTo: ["."] }] });
    expect(listFor("web", hidden)).toHaveLength(services.length + 1);
    expect(listFor("bank", hidden)).toHaveLength(services.length);
  });

  test("stays the same object while nothing in it changes", () => {
    const push = pushOf({ services });
    const ref = { namespace: "web", sidecar: "" };
    expect(sidecarScopeFor(ref, push)).toBe(sidecarScopeFor(ref, push));
  });
});

test.each([
  [{ DNS_CAPTURE: "true" }, "240.240.1.1"],
  [{ DNS_CAPTURE: "false", DNS_AUTO_ALLOCATE: "true" }, ""],
  [{}, ""],
])("a workload with the metadata %o calls a service without addresses at %j", (metadata, address) => {
  const push = pushOf({ services: [cart, { ...pay, addresses: [], allocated: ["240.240.1.1"] }] });
  const scope = sidecarScopeFor(scopeRefOf({ namespace: "web", labels: {}, metadata }, push), push);
  expect(scope.service("pay.bank")?.addresses.join()).toBe(address);
  expect(scope.service("cart.shop")).toBe(cart);
});
