import { describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { viewOf } from "../../../testing/model/push.ts";
import { attachedPolicies, gatewayNameLabel, type PolicyWorkload } from "./attached-policies.ts";
import type { WorkloadPolicy } from "./workload-policy.ts";

function policy(name: string, changes: Partial<WorkloadPolicy> = {}): WorkloadPolicy {
  const { namespace = "shop" } = changes;
  const owner = configId("Policy", namespace, name);
  return { name, namespace, createdAt: 0, owner, selector: undefined, targets: [], ...changes };
}

const cart: PolicyWorkload = { namespace: "shop", labels: { app: "cart" }, router: false, services: [] };

function attached(workload: PolicyWorkload, policies: readonly WorkloadPolicy[]): readonly string[] {
  const view = viewOf(Map.groupBy(policies, ({ namespace }) => namespace));
  return attachedPolicies(view, workload, "root").map(({ name }) => name);
}

describe("a workload has the policies", () => {
  test("of the root namespace, then of its own, the oldest first", () => {
    const policies = [
      policy("young", { createdAt: 2 }),
      policy("old", { createdAt: 1 }),
      policy("mesh", { namespace: "root", createdAt: 3 }),
      policy("elsewhere", { namespace: "bank" }),
    ];
    expect(attached(cart, policies)).toEqual(["mesh", "old", "young"]);
  });

  test("that select no label that it lacks", () => {
    const policies = [policy("own", { selector: { app: "cart" } }), policy("other", { selector: { app: "web" } })];
    expect(attached(cart, policies)).toEqual(["own"]);
  });

  test("of the root namespace once, if it runs there", () => {
    expect(attached({ ...cart, namespace: "root" }, [policy("mesh", { namespace: "root" })])).toEqual(["mesh"]);
  });

  test("that name a service of it", () => {
    const target = { group: "", kind: "Service", namespace: "shop", name: "cart" };
    const policies = [policy("cart", { targets: [target] }), policy("web", { targets: [{ ...target, name: "web" }] })];
    expect(attached({ ...cart, services: [target] }, policies)).toEqual(["cart"]);
    expect(attached(cart, policies)).toEqual([]);
  });
});

test("a policy for a Gateway applies to the routers of that Gateway only", () => {
  const target = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "shop", name: "edge" };
  const policies = [policy("edge", { targets: [target] })];
  const router = { namespace: "shop", labels: { [gatewayNameLabel]: "edge" }, router: true, services: [] };
  expect(attached(router, policies)).toEqual(["edge"]);
  expect(attached({ ...router, labels: { [gatewayNameLabel]: "other" } }, policies)).toEqual([]);
  expect(attached({ ...router, router: false }, policies)).toEqual([]);
});
