import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { debounce, immediate } from "./strategy.ts";

function counter() {
  const published: number[] = [];
  return { published, publish: (at = 0) => void published.push(at) };
}

test("immediate publishes every change at once", () => {
  const { published, publish } = counter();
  const strategy = immediate();
  strategy.onChange(publish);
  strategy.onChange(publish);
  strategy.stop();
  expect(published).toHaveLength(2);
});

test("debounce publishes once, when nothing has changed for half a second", () => {
  const { published, publish } = counter();
  const clock = new FakeClock();
  const strategy = debounce({ clock });
  strategy.onChange(publish);
  clock.advance(400);
  strategy.onChange(publish);
  clock.advance(499);
  expect(published).toEqual([]);
  clock.advance(1);
  expect(published).toHaveLength(1);
});

test("debounce publishes at its maximum wait while changes continue, one second by default", () => {
  const clock = new FakeClock();
  const [usual, patient] = [counter(), counter()];
  const strategies = [
    [debounce({ clock }), usual],
    [debounce({ clock, quietMs: 1000, maxWaitMs: 5000 }), patient],
  ] as const;
  for (let ms = 0; ms < 10_000; ms += 100) {
    for (const [strategy, { publish }] of strategies) strategy.onChange(() => publish(clock.now()));
    clock.advance(100);
  }
  expect(usual.published).toHaveLength(10);
  expect(patient.published).toEqual([5000, 10_000]);
});

test("debounce publishes a burst at its upper limit, although the last change was a moment ago", () => {
  const { published, publish } = counter();
  const clock = new FakeClock();
  const strategy = debounce({ clock });
  for (const [wait, at] of [
    [0, 0],
    [300, 300],
    [400, 700],
    [250, 950],
  ] as const) {
    clock.advance(wait);
    expect(clock.now()).toBe(at);
    strategy.onChange(() => publish(clock.now()));
  }
  clock.advance(10_000);
  expect(published).toEqual([1000]);
});

test("debounce supports the wait times of Galley 1.3", () => {
  const { published, publish } = counter();
  const clock = new FakeClock();
  const strategy = debounce({ clock, quietMs: 500, maxWaitMs: 2000 });
  for (let ms = 0; ms < 2000; ms += 400) {
    strategy.onChange(() => publish(clock.now()));
    clock.advance(400);
  }
  expect(published).toEqual([2000]);
});

test("debounce publishes the last change, not the first", () => {
  const clock = new FakeClock();
  const strategy = debounce({ clock });
  const published: string[] = [];
  strategy.onChange(() => void published.push("first"));
  strategy.onChange(() => void published.push("last"));
  clock.advance(1000);
  expect(published).toEqual(["last"]);
});

test("debounce drops pending changes when stopped, and is reusable", () => {
  const { published, publish } = counter();
  const clock = new FakeClock();
  const strategy = debounce({ clock });
  strategy.stop();
  strategy.onChange(publish);
  strategy.stop();
  clock.advance(10_000);
  expect(published).toEqual([]);
  strategy.onChange(publish);
  clock.advance(500);
  expect(published).toHaveLength(1);
});

test("strategies report changes, restarted waits, and why a wait ended", () => {
  const clock = new FakeClock();
  const told: string[] = [];
  const observer = {
    changed: () => void told.push("changed"),
    waitsAnew: () => void told.push("waits anew"),
    due: (reason: string) => void told.push(reason),
  };
  const publish = () => void told.push("published");
  immediate(observer).onChange(publish);
  expect(told.splice(0)).toEqual(["changed", "published"]);

  const strategy = debounce({ clock, quietMs: 500, maxWaitMs: 1000, observer });
  strategy.onChange(publish);
  clock.advance(500);
  expect(told.splice(0)).toEqual(["changed", "quiet", "published"]);
  for (let change = 0; change < 3; change += 1) {
    strategy.onChange(publish);
    clock.advance(400);
  }
  expect(told.filter((step) => step !== "changed")).toEqual(["waits anew", "waits anew", "maxWait", "published"]);
});

/** A strategy on a clock that has run for a while, with the events of its observer. */
function observed() {
  const told: string[] = [];
  const clock = new FakeClock();
  clock.advance(10_000);
  const observer = {
    changed: () => void told.push("changed"),
    waitsAnew: () => void told.push("waits anew"),
    due: (reason: string) => void told.push(reason),
  };
  return { told, clock, strategy: debounce({ clock, observer }) };
}

test("debounce reports why it publishes, at any time of the clock", () => {
  const { told, clock, strategy } = observed();
  strategy.onChange(() => undefined);
  clock.advance(500);
  expect(told).toEqual(["changed", "quiet"]);
  told.length = 0;
  for (let ms = 0; ms < 1_000; ms += 250) {
    strategy.onChange(() => undefined);
    clock.advance(250);
  }
  expect(told.at(-1)).toBe("maxWait");
});

test("debounce does not count dropped changes as waiting", () => {
  const { told, strategy } = observed();
  strategy.onChange(() => undefined);
  strategy.stop();
  strategy.onChange(() => undefined);
  expect(told).toEqual(["changed", "changed"]);
});

test("debounce publishes nothing after it was stopped, and leaves no timer", () => {
  const { published, publish } = counter();
  const clock = new FakeClock();
  const strategy = debounce({ clock });
  strategy.onChange(publish);
  strategy.stop();
  expect(clock.pending).toBe(0);
  clock.advance(10_000);
  expect(published).toEqual([]);
});
