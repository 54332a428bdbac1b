import { expect, test } from "vitest";
import { collection, type SourceTrial, serviceEntry } from "./source-trial.ts";

/** The contract for writes and deletions. */
export function describeChanges(trial: () => SourceTrial): void {
  test("reports an object that is added, changed and removed", async () => {
    await trial().start();
    await trial().put(serviceEntry("reviews", "one.shop"));
    expect(trial().hostname("reviews")).toBe("one.shop");
    await trial().put(serviceEntry("reviews", "two.shop"));
    expect(trial().hostname("reviews")).toBe("two.shop");
    await trial().subject.remove("ServiceEntry", "shop", "reviews");
    await trial().subject.idle();
    expect(trial().heard.names).toEqual([]);
    await trial().put(serviceEntry("reviews", "two.shop"));
    expect(trial().hostname("reviews")).toBe("two.shop");
  });

  test("reports nothing for an object that is written again unchanged", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().start();
    const version = trial().heard.config(collection, "shop/reviews")?.version;
    const before = trial().heard.events.length;
    await trial().put(serviceEntry("reviews"));
    const said = trial().heard.events.slice(before);
    expect(said.filter(({ type }) => type !== "upserted" && type !== "issues")).toEqual([]);
    expect(trial().heard.config(collection, "shop/reviews")?.version).toBe(version);
  });

  test("reports nothing more about a deleted object", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().put(serviceEntry("ratings"));
    await trial().start();
    await trial().subject.remove("ServiceEntry", "shop", "reviews");
    await trial().subject.idle();
    const before = trial().heard.events.length;
    await trial().put(serviceEntry("ratings", "other.shop"));
    const said = trial()
      .heard.events.slice(before)
      .filter(({ type }) => type !== "issues");
    expect(said).toMatchObject([{ type: "upserted", config: { name: "ratings" } }]);
  });

  test("reports the final state of an object that was removed and written again", async () => {
    await trial().put(serviceEntry("reviews", "one.shop"));
    await trial().start();
    await trial().subject.remove("ServiceEntry", "shop", "reviews");
    await trial().subject.put(serviceEntry("reviews", "two.shop"));
    await trial().subject.idle();
    expect(trial().hostname("reviews")).toBe("two.shop");
  });

  test("delivers a burst completely, with each object's final state last", async () => {
    await trial().start();
    const names = Array.from({ length: 200 }, (_, index) => `service-${String(index).padStart(3, "0")}`);
    for (const object of names) await trial().subject.put(serviceEntry(object, "first.shop"));
    for (const object of names) await trial().subject.put(serviceEntry(object, "last.shop"));
    await trial().subject.idle();
    expect(trial().heard.names).toEqual(names);
    for (const object of names) expect(trial().hostname(object)).toBe("last.shop");
  });

  test("gives equal content equal versions, and different content different ones", async () => {
    await trial().start();
    const versions: (string | undefined)[] = [];
    for (const host of ["one.shop", "two.shop", "one.shop"]) {
      await trial().put(serviceEntry("reviews", host));
      versions.push(trial().heard.config(collection, "shop/reviews")?.version);
    }
    expect(versions[0]).toBeDefined();
    expect(versions[2]).toBe(versions[0]);
    expect(versions[1]).not.toBe(versions[0]);
  });
}
