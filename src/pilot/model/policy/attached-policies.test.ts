import { describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { pushOf, viewOf } from "../../../testing/model/push.ts";
import type { PushContext } from "../push-context.ts";
import { gatewayNameLabel, type PolicyWorkload } from "./attached-policies.ts";
import { policyRefsFor } from "./traffic-policies.ts";
import type { WorkloadPolicy } from "./workload-policy.ts";

function policy(name: string, changes: Partial<WorkloadPolicy> = {}): WorkloadPolicy {
  const { namespace = "shop" } = changes;
  const owner = configId("Policy", namespace, name);
  return { name, namespace, createdAt: 0, owner, selector: undefined, targets: [], ...changes };
}

const cart: PolicyWorkload = { namespace: "shop", labels: { app: "cart" }, router: false, services: [] };

function attached(workload: PolicyWorkload, policies: readonly WorkloadPolicy[]): readonly string[] {
  return keysIn(pushWith(policies), workload).map((key) => key.slice(key.indexOf("/") + 1));
}

function pushWith(policies: readonly WorkloadPolicy[]): PushContext {
  const rules = { action: "allow", rules: [], dryRun: false, converted: false, provider: undefined } as const;
  const authorizationPolicies = policies.map((each) => ({ ...each, ...rules }));
  return pushOf({ authorizationPolicies, mesh: { rootNamespace: "root" } });
}

function keysIn(push: PushContext, workload: PolicyWorkload): readonly string[] {
  return policyRefsFor(workload, push).authorization;
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

test("a policy of another namespace does not cause another search for the policies of a workload", () => {
  const push = pushWith([policy("own"), policy("elsewhere", { namespace: "bank" })]);
  const lists = [...push.authorizationPoliciesByNamespace.entries()].filter(([namespace]) => namespace !== "bank");
  const without = { ...push, authorizationPoliciesByNamespace: viewOf(lists) };
  expect(keysIn(without, { ...cart })).toBe(keysIn(push, cart));
});

test("a policy for a Gateway applies to the routers of that Gateway only", () => {
  const target = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "shop", name: "edge" };
  const policies = [policy("edge", { targets: [target] })];
  const router = { namespace: "shop", labels: { [gatewayNameLabel]: "edge" }, router: true, services: [] };
  expect(attached(router, policies)).toEqual(["edge"]);
  expect(attached({ ...router, labels: { [gatewayNameLabel]: "other" } }, policies)).toEqual([]);
  expect(attached({ ...router, router: false }, policies)).toEqual([]);
});
