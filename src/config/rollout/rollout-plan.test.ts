import { describe, expect, test } from "vitest";
import { readPlan, rolloutAnnotations, waveText } from "./rollout-plan.ts";

const { name, waves, wait, query, most } = rolloutAnnotations;

describe("the settings of a rollout", () => {
  test("are waves of proxies, shares, labels and zones, in the words of their author", () => {
    const { plan, bad } = readPlan({ [name]: "checkout", [waves]: "2, 12.5%,label:canary=true, zone=eu-1a, 100%" });
    expect(bad).toEqual([]);
    expect(plan.waves?.map(waveText)).toEqual(["2", "12.5%", "label:canary=true", "zone=eu-1a"]);
  });

  test("have a time per wave, and a query with a limit", () => {
    const { plan, bad } = readPlan({ [name]: "a", [wait]: "5m", [query]: "sum(rate(errors[1m]))", [most]: "0.01" });
    expect(bad).toEqual([]);
    expect(plan).toEqual({ waitMs: 300_000, gate: { query: "sum(rate(errors[1m]))", most: 0.01 } });
  });

  test.each([
    [{ [name]: "two words" }, name],
    [{ [waves]: "10%%" }, waves],
    [{ [waves]: "0" }, waves],
    [{ [waves]: "0%" }, waves],
    [{ [waves]: "101%" }, waves],
    [{ [waves]: "101" }, waves],
    [{ [waves]: "1,,2" }, waves],
    [{ [waves]: "zone=" }, waves],
    [{ [waves]: Array.from({ length: 21 }, () => "1").join() }, waves],
    [{ [wait]: "soon" }, wait],
    [{ [wait]: "-5s" }, wait],
    [{ [wait]: "25h" }, wait],
    [{ [query]: "up" }, query],
    [{ [query]: "x".repeat(2_001), [most]: "1" }, query],
    [{ [most]: "1" }, most],
    [{ [query]: "up", [most]: "much" }, most],
    [{ [query]: "up", [most]: "" }, most],
  ])("cannot be %j", (annotations, annotation) => {
    expect(readPlan(annotations).bad.map((each) => each.annotation)).toContain(annotation);
  });
});
