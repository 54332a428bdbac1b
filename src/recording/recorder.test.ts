import { expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import type { OpenStep } from "./open-step.ts";
import { Recorder } from "./recorder.ts";

/** A recorder whose steps end when the test says so. */
function recorderRig() {
  const clock = new FakeClock();
  const steps: OpenStep[] = [];
  const ends: (() => void)[] = [];
  const recorder = new Recorder({
    clock,
    later: (run) => run(),
    settled: (run) => void ends.push(run),
    onStep: (step) => void steps.push(step),
    onUnrecorded: () => undefined,
  });
  return { clock, recorder, endStep: () => ends.shift()?.(), causes: () => steps.map(({ cause }) => cause().type) };
}

test("a timer that fires within a step runs after it, and not if the step cancels it", () => {
  const { clock, recorder, endStep, causes } = recorderRig();
  const ran: string[] = [];
  const cancels: (() => void)[] = [];
  recorder.run(
    () => ({ type: "ready" }),
    () => {
      cancels.push(recorder.clock.after(100, () => ran.push("cancelled")));
      recorder.clock.after(100, () => ran.push("kept"));
    },
  );
  endStep();
  recorder.run(
    () => ({ type: "ready" }),
    () => {
      clock.advance(200);
      for (const cancel of cancels) cancel();
    },
  );
  expect(ran).toEqual([]);
  for (let steps = 0; steps < 3; steps++) endStep();
  expect(ran).toEqual(["kept"]);
  expect(causes()).toEqual(["ready", "ready", "timer", "timer"]);
});
