import { describe, expect, test } from "vitest";
import type { Labels } from "../../../config/config.ts";
import { functionCalls } from "../../../testing/counting/function-calls.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import type { DestinationRule } from "./destination-rule.ts";
import { ruleFor } from "./rule-for.ts";

const cart = { hostname: "cart.shop", namespace: "shop" };

function chosen(rules: readonly DestinationRule[], from = "web"): string | undefined {
  return ruleFor(cart, from, pushOf({ rules }))?.name;
}

function chosenFor(labels: Labels, ...rules: readonly DestinationRule[]): string | undefined {
  return ruleFor(cart, "web", pushOf({ rules }), labels)?.name;
}

const own = fakeRule({ namespace: "web", name: "own" });
const services = fakeRule({ namespace: "shop", name: "services" });
const root = fakeRule({ namespace: "istio-system", name: "root", host: "*.shop" });

describe("the rule for a service", () => {
  test("is the caller's own, else the service's, else the root namespace's", () => {
    expect(chosen([root, services, own])).toBe("own");
    expect(chosen([root, services])).toBe("services");
    expect(chosen([root])).toBe("root");
    expect(chosen([])).toBeUndefined();
  });

  test("has the most specific host within its namespace", () => {
    const wide = fakeRule({ name: "wide", host: "*" });
    const narrow = fakeRule({ name: "narrow", host: "*.shop" });
    expect(chosen([wide, narrow])).toBe("narrow");
    expect(chosen([wide, narrow, services])).toBe("services");
  });

  test("is visible to the caller", () => {
    const hidden = fakeRule({ name: "hidden", exportTo: ["."] });
    expect(chosen([hidden, root])).toBe("root");
    expect(chosen([hidden, root], "shop")).toBe("hidden");
  });

  test("is, for callers in the root namespace, the service's unless their own is private", () => {
    const priv = fakeRule({ namespace: "istio-system", name: "private", exportTo: ["."] });
    expect(chosen([root, services], "istio-system")).toBe("services");
    expect(chosen([priv, services], "istio-system")).toBe("private");
  });

  test("is, for workloads that a rule of their namespace selects, that rule", () => {
    const selected = fakeRule({ namespace: "web", name: "selected", exportTo: ["."], selector: { app: "x" } });
    const foreign = fakeRule({ namespace: "shop", name: "foreign", exportTo: ["*"], selector: { app: "x" } });
    expect(chosenFor({ app: "x", more: "1" }, selected, own)).toBe("selected");
    expect(chosenFor({ app: "y" }, selected, own)).toBe("own");
    expect(chosenFor({}, selected)).toBeUndefined();
    expect(chosenFor({ app: "x" }, foreign, services)).toBe("services");
  });
});

/** How often the wildcards that cover the service are looked for. */
function wildcardSearches(rules: readonly DestinationRule[]): Promise<number> {
  const push = pushOf({ rules });
  return functionCalls(
    (url) => url.endsWith("/grammar/hostname.ts"),
    () => ruleFor(cart, "web", push),
    (name) => name === "coveringPatterns",
  );
}

test("a service is looked up by its own name alone in namespaces without wildcards", async () => {
  const other = fakeRule({ namespace: "web", name: "other", host: "other.shop" });
  expect(await wildcardSearches([other])).toBe(0);
  expect(await wildcardSearches([other, root])).toBeGreaterThan(0);
});
