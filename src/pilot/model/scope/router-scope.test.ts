import { describe, expect, test } from "vitest";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import type { Service } from "../service/service.ts";
import { routerScopeFor } from "./router-scope.ts";

function owner(...services: readonly Service[]): string | undefined {
  return routerScopeFor("web", pushOf({ services })).service("cart.shop")?.namespace;
}

describe("a namespace without a Sidecar", () => {
  test("sees what is exported to it, sorted by hostname", () => {
    const push = pushOf({
      services: [
        fakeService({ hostname: "b" }),
        fakeService({ hostname: "a", exportTo: ["web"] }),
        fakeService({ hostname: "c", exportTo: ["."] }),
      ],
    });
    expect(routerScopeFor("web", push).services.map(({ hostname }) => hostname)).toEqual(["a", "b"]);
    expect(routerScopeFor("web", push)).toBe(routerScopeFor("web", push));
  });

  test("takes a hostname from Kubernetes, else from the service exported by name, else from the oldest", () => {
    const old = fakeService({ namespace: "old", createdAt: 1 });
    const young = fakeService({ namespace: "young", createdAt: 2 });
    const named = fakeService({ namespace: "named", createdAt: 3, exportTo: ["web"] });
    const kubernetes = fakeService({ namespace: "kubernetes", createdAt: 4, registry: "Kubernetes" });
    expect(owner(young, old)).toBe("old");
    expect(owner(young, old, named)).toBe("named");
    expect(owner(young, old, named, kubernetes)).toBe("kubernetes");
  });
});
