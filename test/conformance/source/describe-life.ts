import { expect, test } from "vitest";
import { SourceRecorder } from "../../../src/testing/recording/source-recorder.ts";
import { collection, misspelt, type SourceTrial, serviceEntry, syncs } from "./source-trial.ts";

/** From start to stop, and again. */
export function describeLife(trial: () => SourceTrial): void {
  test("emits nothing before its start", async () => {
    await trial().put(serviceEntry("reviews"));
    expect(trial().heard.calls).toEqual([]);
  });

  test("emits all objects, then one full sync per collection, also for empty collections", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().put(serviceEntry("ratings"));
    await trial().start();
    expect(trial().heard.names).toEqual(["ratings", "reviews"]);
    expect(syncs(trial().heard.events)).toEqual(trial().subject.source.collections.toSorted());
    const sync = trial().heard.events.findIndex(
      (event) => event.type === "fullSync" && event.collection === collection,
    );
    expect(trial().heard.events.findLastIndex(({ type }) => type === "upserted")).toBeLessThan(sync);
  });

  test("emits only declared collections, and declares each once", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().start();
    await trial().subject.remove("ServiceEntry", "shop", "reviews");
    await trial().subject.idle();
    const { name, collections } = trial().subject.source;
    const spoken = trial().heard.events.flatMap((event) => ("collection" in event ? event.collection : []));
    expect(collections).toEqual(expect.arrayContaining(spoken));
    expect(new Set(collections).size).toBe(collections.length);
    expect(name).not.toBe("");
  });

  test("starts once, however often start is called", async () => {
    await trial().put(serviceEntry("reviews"));
    const late = new SourceRecorder();
    await Promise.all([
      trial().subject.source.start(trial().heard.handler),
      trial().subject.source.start(late.handler),
    ]);
    await trial().subject.source.start(late.handler);
    await trial().subject.idle();
    expect(syncs(trial().heard.events)).toHaveLength(trial().subject.source.collections.length);
    expect(late.calls).toEqual([]);
  });

  test("emits nothing after its stop", async () => {
    await trial().start();
    const before = trial().heard.calls.length;
    await Promise.all([trial().subject.source.stop(), trial().subject.source.stop()]);
    await trial().put(serviceEntry("reviews"));
    expect(trial().heard.calls).toHaveLength(before);
  });

  test("can be stopped before and during its start", async () => {
    await trial().subject.source.stop();
    const starting = trial().subject.source.start(trial().heard.handler);
    await trial().subject.source.stop();
    const before = trial().heard.calls.length;
    await starting;
    await trial().put(serviceEntry("reviews"));
    expect(trial().heard.calls).toHaveLength(before);
  });

  test("emits everything again at the next start, and follows changes again", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().put(serviceEntry("ratings"));
    await trial().start();
    await trial().subject.source.stop();
    await trial().subject.remove("ServiceEntry", "shop", "ratings");
    trial().heard = new SourceRecorder();
    await trial().start();
    expect(trial().heard.names).toEqual(["reviews"]);
    expect(syncs(trial().heard.events)).toEqual(trial().subject.source.collections.toSorted());
    await trial().put(serviceEntry("details"));
    expect(trial().heard.names).toEqual(["details", "reviews"]);
  });

  test("emits the same state at each of many starts", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().put(serviceEntry("ratings"));
    const told: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const listener = new SourceRecorder();
      await trial().subject.source.start(listener.handler);
      await trial().subject.idle();
      told.push(Array.from(listener.state, ([key, { version }]) => `${key} ${version}`).toSorted());
      expect(syncs(listener.events)).toEqual(trial().subject.source.collections.toSorted());
      await trial().subject.source.stop();
    }
    expect(told).toEqual([told[0], told[0], told[0]]);
    expect(told[0]).toHaveLength(2);
  });

  test("emits only to the handler of the last start", async () => {
    await trial().start();
    await trial().subject.source.stop();
    const [before, latest] = [trial().heard.calls.length, new SourceRecorder()];
    await trial().subject.source.start(latest.handler);
    await trial().put(serviceEntry("reviews"));
    expect(trial().heard.calls).toHaveLength(before);
    expect(latest.names).toEqual(["reviews"]);
  });

  test("forgets its issues at a stop, and reports only current issues at the next start", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().start();
    await trial().put(misspelt);
    expect(trial().heard.allIssues).toHaveLength(1);
    await trial().subject.source.stop();
    await trial().put(serviceEntry("reviews"));
    trial().heard = new SourceRecorder();
    await trial().start();
    expect(trial().heard.allIssues).toEqual([]);
    expect(trial().heard.names).toEqual(["reviews"]);
  });

  test("is idle while it is stopped", async () => {
    await expect(trial().subject.source.idle()).resolves.toBeUndefined();
    await trial().start();
    await trial().subject.source.stop();
    await expect(trial().subject.source.idle()).resolves.toBeUndefined();
  });
}
