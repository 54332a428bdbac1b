import { describe, expect, test } from "vitest";
import { fakeRule } from "../../../testing/model/traffic.ts";
import { fakePolicy } from "../../../testing/model/fake-traffic-policy.ts";
import type { DestinationRule } from "../../model/traffic/destination-rule.ts";
import { mergeRules } from "./destination-rule.ts";

function rule(name: string, createdAt: number, changes: Partial<DestinationRule> = {}): DestinationRule {
  return fakeRule({
    name,
    createdAt,
    owners: [`DestinationRule/shop/${name}` as DestinationRule["owners"][number]],
    ...changes,
  });
}

function subset(name: string, version: string) {
  return { name, labels: { version }, trafficPolicy: undefined };
}

/** `name: subset=version, …` of the merged rules. */
function merged(...rules: readonly DestinationRule[]): readonly string[] {
  return mergeRules(rules).flatMap(({ rules: left }) =>
    left.map(
      ({ name, subsets }) => `${name}: ${subsets.map((one) => `${one.name}=${one.labels["version"]}`).join(", ")}`,
    ),
  );
}

describe("rules of one host", () => {
  test("merge into one, the oldest first: its policy applies, and its subsets where names repeat", () => {
    const older = rule("older", 1, { subsets: [subset("a", "1")], trafficPolicy: undefined });
    const newer = rule("newer", 2, { subsets: [subset("a", "2"), subset("b", "2")], trafficPolicy: fakePolicy() });
    expect(merged(newer, older)).toEqual(["older: a=1, b=2"]);
    expect(mergeRules([newer, older])[0]?.rules[0]).toMatchObject({
      trafficPolicy: newer.trafficPolicy,
      owners: ["DestinationRule/shop/older", "DestinationRule/shop/newer"],
    });
  });

  test("stay separate when they are exported to different namespaces", () => {
    const near = rule("near", 1, { exportTo: ["."], subsets: [subset("a", "1")] });
    const all = rule("all", 2, { exportTo: ["*"], subsets: [subset("b", "2")] });
    expect(merged(near, all)).toEqual(["near: a=1", "all: b=2"]);
  });

  test("add to a rule for fewer namespaces if all of these see them, and stay for the others", () => {
    const few = rule("few", 1, { exportTo: ["a"], subsets: [subset("a", "1")] });
    const more = rule("more", 2, { exportTo: ["a", "b"], subsets: [subset("b", "2")] });
    expect(merged(few, more)).toEqual(["few: a=1, b=2", "more: b=2"]);
  });

  test("with a selector come first, merge with those of the same selector, and inherit from rules for all workloads", () => {
    const selector = { app: "x" };
    const own = { exportTo: ["."] };
    const all = rule("all", 1, { ...own, subsets: [subset("a", "1")] });
    const selected = rule("selected", 2, { ...own, selector, subsets: [subset("b", "2")] });
    const again = rule("again", 3, { ...own, selector, subsets: [subset("c", "3")] });
    const other = rule("other", 4, { ...own, selector: { app: "y" }, subsets: [] });
    expect(merged(all, selected, again, other)).toEqual(["selected: b=2, c=3, a=1", "other: a=1", "all: a=1"]);
  });
});
