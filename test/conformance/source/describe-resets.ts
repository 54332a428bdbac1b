import { expect, test } from "vitest";
import { type SourceTrial, serviceEntry, syncs } from "./source-trial.ts";

/** For sources that may lose track. */
export function describeResets(trial: () => SourceTrial): void {
  test("omits deleted objects after a reset, and follows later changes", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().put(serviceEntry("ratings"));
    await trial().start();
    await trial().subject.remove("ServiceEntry", "shop", "ratings");
    await trial().subject.reset?.();
    await trial().put(serviceEntry("details"));
    expect(trial().heard.names).toEqual(["details", "reviews"]);
    await trial().subject.remove("ServiceEntry", "shop", "reviews");
    await trial().subject.idle();
    expect(trial().heard.names).toEqual(["details"]);
  });

  test("emits everything again after a reset", async () => {
    await trial().put(serviceEntry("reviews"));
    await trial().start();
    trial().heard.calls.length = 0;
    await trial().subject.reset?.();
    await trial().subject.idle();
    expect(trial().heard.events[0]).toEqual({ type: "reset" });
    expect(trial().heard.names).toEqual(["reviews"]);
    expect(syncs(trial().heard.events)).toEqual(trial().subject.source.collections.toSorted());
  });
}
