import { expect, test } from "vitest";
import { configKey } from "../../../src/config/config.ts";
import { collection, misspelt, type SourceTrial, serviceEntry, unknownKind } from "./source-trial.ts";

/** The contract for objects of unknown kinds. */
export function describeStrangers(trial: () => SourceTrial): void {
  test("reports an object of an unknown kind, and ignores it", async () => {
    await trial().start();
    await trial().put(unknownKind);
    await trial().put(serviceEntry("reviews"));
    expect(trial().heard.allIssues.map(({ code }) => code)).toEqual(["unknown-kind"]);
    expect(trial().heard.names).toEqual(["reviews"]);
  });
}

/** The contract for unusable objects. `line` is the line of the mistake, if there are lines. */
export function describeMistakes(trial: () => SourceTrial, line: number | undefined): void {
  test("reports a bad object with its place, keeps its last good version, and clears the report", async () => {
    await trial().put(serviceEntry("reviews", "good.shop"));
    await trial().start();
    await trial().put(misspelt);
    const [issue] = trial().heard.allIssues;
    expect(issue).toMatchObject({ severity: "error", object: "ServiceEntry shop/reviews" });
    expect(issue?.place?.line).toBe(line);
    expect(trial().hostname("reviews")).toBe("good.shop");
    await trial().put(serviceEntry("reviews", "better.shop"));
    expect(trial().heard.allIssues).toEqual([]);
    expect(trial().hostname("reviews")).toBe("better.shop");
  });
}

/** The contract for unusable entries of a registry. */
export function describeUnreadable(trial: () => SourceTrial): void {
  test("reports an unreadable entry, ignores it, and clears the report", async () => {
    await trial().start();
    await trial().put(misspelt);
    await trial().put(serviceEntry("ratings"));
    expect(trial().heard.allIssues).toHaveLength(1);
    expect(trial().heard.names).toContain("ratings");
    await trial().put(serviceEntry("reviews", "better.shop"));
    expect(trial().heard.allIssues).toEqual([]);
    expect(trial().hostname("reviews")).toBe("better.shop");
  });
}

/** The contract for the places of objects. */
export function describePlaces(trial: () => SourceTrial): void {
  test("names the place of every object", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().start();
    const config = trial().heard.config(collection, "shop/reviews");
    expect(config && configKey(config)).toBe("shop/reviews");
    expect(config?.origin).toMatchObject({ source: trial().subject.source.name });
    expect(config?.origin.reference).not.toBe("");
  });
}
