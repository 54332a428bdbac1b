import { describe, expect, test } from "vitest";
import { type ConfigId, configId } from "../../../config/config.ts";
import { type Mesh, pushOf } from "../../../testing/model/push.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import type { PushContext } from "../../model/push-context.ts";
import { routerScopeFor } from "../../model/scope/router-scope.ts";
import { affectedHostnames } from "./affected-hostnames.ts";

const cart = fakeService();
const pay = fakeService({ hostname: "pay.shop" });
const mail = fakeService({ hostname: "mail.office", namespace: "office" });
const services = [cart, pay, mail];

/** The hostnames that a change of these objects affects, sorted. */
function affected(
  { before, after }: { readonly before: PushContext; readonly after: PushContext },
  changed: readonly ConfigId[],
  concerns: (kind: string) => boolean = () => true,
) {
  const since = { push: before, changed: new Set(changed) };
  const found = affectedHostnames((push) => routerScopeFor("edge", push), after, since, concerns);
  return found === "all" ? found : [...found].toSorted();
}

/** The same mesh twice, with these objects before and after. */
function edit(before: Mesh, after: Mesh) {
  return { before: pushOf({ services, ...before }), after: pushOf({ services, ...after }) };
}

const rule = configId("DestinationRule", "shop", "cart");

describe("the hostnames that a change affects", () => {
  test.each([
    ["a service", configId("Service", "shop", "cart.shop"), ["cart.shop"]],
    ["endpoints", configId("Endpoints", "shop", "pay.shop"), ["pay.shop"]],
    ["a virtual service", configId("VirtualService", "shop", "cart"), []],
    ["a policy of a namespace", configId("PeerAuthentication", "shop", "default"), ["cart.shop", "pay.shop"]],
    ["a policy of a namespace without services", configId("PeerAuthentication", "empty", "default"), []],
  ])("of %s are its own", (_, changed, hostnames) => {
    expect(affected(edit({}, {}), [changed])).toEqual(hostnames);
  });

  test("are all for a policy of the root namespace", () => {
    expect(affected(edit({}, {}), [configId("PeerAuthentication", "istio-system", "default")])).toBe("all");
  });

  test("are none for kinds that do not affect the family", () => {
    const changed = [configId("Service", "shop", "cart.shop"), configId("Endpoints", "shop", "pay.shop")];
    expect(affected(edit({}, {}), changed, (kind) => kind === "Endpoints")).toEqual(["pay.shop"]);
  });

  test("are those that enter or leave the scope, or change their service, for any change", () => {
    const other = fakeService({ addresses: ["10.1.0.1"] });
    const world = edit({ services: [cart, pay] }, { services: [other, mail] });
    expect(affected(world, [configId("VirtualService", "shop", "x")])).toEqual([
      "cart.shop",
      "mail.office",
      "pay.shop",
    ]);
  });

  test("are the current and previous hosts of a rule", () => {
    const world = edit({ rules: [fakeRule({ host: "cart.shop" })] }, { rules: [fakeRule({ host: "pay.shop" })] });
    expect(affected(world, [rule])).toEqual(["cart.shop", "pay.shop"]);
    expect(affected(edit({}, { rules: [fakeRule({ host: "cart.shop" })] }), [rule])).toEqual(["cart.shop"]);
  });

  test("are the services that a wildcard of a rule covers", () => {
    expect(affected(edit({}, { rules: [fakeRule({ host: "*.shop" })] }), [rule])).toEqual(["cart.shop", "pay.shop"]);
  });

  test("are all when the mesh settings or networks changed, and in a first run", () => {
    const { before, after } = edit({}, {});
    expect(affected({ before, after: { ...after, mesh: { ...after.mesh } } }, [])).toBe("all");
    expect(affected({ before, after: { ...after, networks: { ...after.networks } } }, [])).toBe("all");
    expect(
      affectedHostnames(
        (push) => routerScopeFor("edge", push),
        after,
        undefined,
        () => true,
      ),
    ).toBe("all");
  });
});
