import { describe, expect, test } from "vitest";
import { FakeClock } from "./fake-clock.ts";

describe("a fake clock", () => {
  test("starts at zero and moves only when told", () => {
    const clock = new FakeClock();
    expect(clock.now()).toBe(0);
    clock.advance(5);
    expect(clock.now()).toBe(5);
  });

  test("runs timers in the order they are due, then in the order they were set, each at its moment", () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    const note = (name: string) => () => ran.push(`${name} at ${clock.now()}`);
    clock.after(20, note("late"));
    clock.after(10, note("first"));
    clock.after(10, note("second"));
    clock.advance(20);
    expect(ran).toEqual(["first at 10", "second at 10", "late at 20"]);
  });

  test("runs a timer that a timer set, if it becomes due in the same advance", () => {
    const clock = new FakeClock();
    const ran: number[] = [];
    const again = () => {
      ran.push(clock.now());
      clock.after(10, again);
    };
    clock.after(10, again);
    clock.advance(35);
    expect(ran).toEqual([10, 20, 30]);
    expect(clock.pending).toBe(1);
  });

  test("keeps a timer that is not due, and forgets a cancelled one", () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    clock.after(10, () => ran.push("kept"));
    const cancel = clock.after(10, () => ran.push("cancelled"));
    clock.advance(9);
    expect(ran).toEqual([]);
    cancel();
    cancel();
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(ran).toEqual(["kept"]);
    expect(clock.pending).toBe(0);
  });

  test("runs a timer with no or negative delay on the next advance, not at once", () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    clock.after(0, () => ran.push("none"));
    clock.after(-5, () => ran.push("negative"));
    expect(ran).toEqual([]);
    clock.advance(0);
    expect(ran).toEqual(["none", "negative"]);
  });

  test("does not run backwards", () => {
    expect(() => new FakeClock().advance(-1)).toThrow("backwards");
  });
});
